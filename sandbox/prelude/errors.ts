/** ToolError, and errors on their way out. */
export const errors = String.raw`
class ToolError extends E {
  constructor(message, fields) {
    super(message);
    const given = fields ?? {};
    this.tool = given.tool ?? '';
    this.seq = given.seq ?? 0;
    this.data = given.data;
    this.code = given.code ?? 'failed';
    this.outcomeUnknown = given.outcomeUnknown ?? false;
  }
}
define(ToolError.prototype, 'name', { __proto__: null, value: 'ToolError', writable: true, enumerable: false, configurable: true });
const stackOf = (error) => { const text = error.stack; return typeof text === 'string' ? sliceText(text, 0, 16384) : ''; };
/** The failure of a call: its trace is that of the place that made the call. */
const toolError = (call, failure) => {
  const error = new ToolError(failure.message, {
    __proto__: null, tool: call.name, seq: failure.seq, code: failure.code, outcomeUnknown: failure.outcomeUnknown,
    data: failure.dataJson === undefined ? undefined : parse(failure.dataJson),
  });
  define(error, 'stack', { __proto__: null, value: 'ToolError: ' + failure.message + '\n' + call.stack, writable: true, enumerable: false, configurable: true });
  knownSet(error, { __proto__: null, id: call.id, code: failure.code, dataJson: failure.dataJson, outcomeUnknown: failure.outcomeUnknown });
  return error;
};
const attempt = (read, otherwise) => { try { return read(); } catch { return otherwise; } };
const shortText = (value, otherwise) => {
  const text = attempt(() => toText(value), otherwise);
  return text.length > 16384 ? sliceText(text, 0, 16384) + '…' : text;
};
// A script can break the engine's own JSON, by setters on Array.prototype.
const BROKEN = '{"name":"Error","message":"the script changed the built-ins so that nothing can be told of its error","stack":""}';
/** What the host may know of an error; never throws, whatever the script threw. */
const describe = (error) => attempt(() => described(error), BROKEN);
const described = (error) => {
  const told = create(null);
  if (attempt(() => isError(error), false)) {
    told.name = shortText(attempt(() => error.name, 'Error'), 'Error');
    told.message = shortText(attempt(() => error.message, ''), '');
    told.stack = attempt(() => stackOf(error), '');
    const tool = attempt(() => knownGet(error), undefined);
    if (tool) told.tool = tool;
  } else {
    told.name = 'Error';
    told.message = 'thrown: ' + shortText(attempt(() => inspect(error), 'a value that cannot be shown'), 'a value');
    told.stack = '';
  }
  return stringify(told);
};
`;
