/** The names that a script sees, and the start of the script. */
export const scopeSource = String.raw`
const named = (fn, name) => { define(fn, 'name', { __proto__: null, value: name, configurable: true }); return freeze(fn); };
const tools = create(null);
const roots = create(null);
for (let i = 0; i < scope.tools.length; i++) {
  const name = scope.tools[i];
  const tool = named(callable('tool', name), name);
  define(tools, name, shown(tool));
  let parts = setProto([], null), rest = name, at;
  while ((at = indexOfText(rest, '.')) >= 0) { parts[parts.length] = sliceText(rest, 0, at); rest = sliceText(rest, at + 1); }
  parts[parts.length] = rest;
  let plainName = true;
  for (let k = 0; k < parts.length; k++) if (!testRegExp(/^[A-Za-z_$][\w$]*$/, parts[k])) plainName = false;
  if (!plainName) continue;
  let into = roots;
  for (let k = 0; k < parts.length - 1; k++) into = into[parts[k]] ??= create(null);
  into[rest] = tool;
}
const freezeAll = (object) => { const keys = keysOf(object); for (let i = 0; i < keys.length; i++) if (typeof object[keys[i]] === 'object') freezeAll(object[keys[i]]); return freeze(object); };
freezeAll(roots);
const workflows = create(null);
for (let i = 0; i < scope.workflows.length; i++) define(workflows, scope.workflows[i], shown(named(callable('workflow', scope.workflows[i]), scope.workflows[i])));
const input = scope.input === undefined ? undefined : parse(scope.input);
const run = freeze({ id: scope.run.id, namespace: scope.run.namespace, labels: freeze(scope.run.labels), startedAt: scope.run.startedAt });
const rewind = freeze({ __proto__: null, input, run, sleep: freeze(sleep), waitForSignal: freeze(waitForSignal), workflows: freeze(workflows), ToolError, tools: freeze(tools), console });
const names = ownKeys(rewind);
for (let i = 0; i < names.length; i++) define(globalThis, names[i], shown(rewind[names[i]]));
const rootNames = ownKeys(roots);
for (let i = 0; i < rootNames.length; i++) if (!(rootNames[i] in globalThis)) define(globalThis, rootNames[i], shown(roots[rootNames[i]]));
const require = (name) => {
  if (name === 'rewind') return rewind;
  throw new E('scripts have no modules but "rewind"');
};
const start = (program) => {
  const exports = create(null);
  (async () => {
    let output;
    try {
      program(exports, require);
      output = encode(await exports.default(input), 'output');
    } catch (error) { hostCall(0, 'throw', describe(error), ''); return; }
    hostCall(0, 'return', output === undefined ? 'null' : output, '');
  })();
};
// Each step moves the engine's next question to the host by an odd number of turns and calls.
const step = () => {};
const where = (shift) => { for (let i = 0; i < shift; i++) step(); return stackOf(new E()); };
return { __proto__: null, start, settle, describe, where };
`;
