/** What the script asks of the host. All pending promises live here, inside the guest. */
export const calls = String.raw`
const pending = create(null);
let lastId = 0;
const open = (kind, name, argument) => {
  const id = ++lastId;
  const call = { __proto__: null, id, name, stack: stackOf(new E()) };
  const promise = new P((resolve, reject) => { call.resolve = resolve; call.reject = reject; });
  const taken = argument.length <= scope.argumentsBytes && hostCall(id, kind + ':' + name, argument, call.stack);
  if (taken !== true) {
    const failed = new RE(name + (taken === false
      ? ': the argument is larger than ' + scope.argumentsBytes + ' bytes of JSON'
      : ': the arguments of all calls in flight are larger than ' + scope.openBytes + ' bytes of JSON; await some first'));
    define(failed, 'stack', { __proto__: null, value: 'RangeError\n' + call.stack, writable: true, enumerable: false, configurable: true });
    call.reject(failed);
    return promise;
  }
  pending[id] = call;
  return promise;
};
const refused = (error) => new P((_, reject) => reject(error));
// No rest parameters here and below: the engine fills them by assignment, which a script can intercept.
const callable = (kind, name) => function () {
  let argument;
  try {
    if (arguments.length > 1) throw new TE(name + ' takes one argument, an object; it got ' + arguments.length);
    argument = encode(arguments[0], 'input');
  } catch (error) { return refused(error); }
  return open(kind, name, argument === undefined ? '{}' : argument);
};
const settle = (id, ok, answer) => {
  const call = pending[id];
  if (!call) return;
  delete pending[id];
  if (ok) call.resolve(answer === undefined ? undefined : parse(answer));
  else call.reject(toolError(call, parse(answer)));
};
const argumentOf = (fields) => { try { return encode(fields, 'input'); } catch (error) { return error; } };
const sleep = function sleep(duration) {
  const argument = argumentOf({ duration });
  return typeof argument === 'string' ? open('sleep', 'sleep', argument) : refused(argument);
};
const waitForSignal = function waitForSignal(name, options) {
  const argument = argumentOf({ name, timeout: options?.timeout });
  return typeof argument === 'string' ? open('signal', 'waitForSignal', argument) : refused(argument);
};
`;
