import { expect, test } from '@jest/globals';
import { output } from './support';

test('a script sees the documented globals and no others', async () => {
  const keys = await output('return Reflect.ownKeys(globalThis).map(String).sort()');
  expect(keys).toEqual(
    [
      // The language.
      ...[
        'AggregateError',
        'Array',
        'ArrayBuffer',
        'Boolean',
        'DataView',
        'Date',
        'Error',
        'EvalError',
      ],
      ...[
        'Float32Array',
        'Float64Array',
        'Function',
        'Infinity',
        'Int16Array',
        'Int32Array',
        'Int8Array',
      ],
      ...['JSON', 'Map', 'Math', 'NaN', 'Number', 'Object', 'Promise', 'Proxy', 'RangeError'],
      ...[
        'ReferenceError',
        'Reflect',
        'RegExp',
        'Set',
        'String',
        'Symbol',
        'Symbol(Symbol.toStringTag)',
      ],
      ...['SyntaxError', 'TypeError', 'URIError', 'Uint16Array', 'Uint32Array', 'Uint8Array'],
      ...[
        'Uint8ClampedArray',
        'WeakMap',
        'WeakSet',
        'decodeURI',
        'decodeURIComponent',
        'encodeURI',
      ],
      ...[
        'encodeURIComponent',
        'escape',
        'globalThis',
        'isFinite',
        'isNaN',
        'parseFloat',
        'parseInt',
      ],
      ...['undefined', 'unescape'],
      // Ours, and the tools.
      ...['ToolError', 'ask', 'console', 'crm', 'input', 'run', 'sleep', 'tools', 'waitForSignal'],
      'workflows',
    ].sort(),
  );
});

test('the scope holds the run, the input and the tools, all frozen', async () => {
  expect(
    await output(
      `return {
        run, input,
        tools: Object.keys(tools),
        same: tools['crm.find'] === crm.find,
        frozen: [run, run.labels, tools, crm, crm.find, console, workflows].map(Object.isFrozen),
        set: [() => { crm.find = 1 }, () => { crm = 1 }, () => { tools.x = 1 }].map((f) => { try { f(); return 'set' } catch (e) { return e.name } }),
      }`.replace('return', '"use strict"; return'),
      { input: { a: [1] } },
    ),
  ).toEqual({
    run: {
      id: 'run_1',
      namespace: 'ada',
      labels: { team: 'a' },
      startedAt: '2026-01-01T00:00:00Z',
    },
    input: { a: [1] },
    tools: ['crm.find', 'ask', 'get-weather'],
    same: true,
    frozen: [true, true, true, true, true, true, true],
    set: ['TypeError', 'TypeError', 'TypeError'],
  });
});

test('text never becomes code, and no module can be loaded', async () => {
  expect(
    await output(
      `const seen = []; for (const name of ['eval', 'Function']) seen.push(typeof globalThis[name]); return seen`,
    ),
  ).toEqual(['undefined', 'function']);
  expect(await output(`return await import('node:fs').then(() => 'loaded', () => 'refused')`)).toBe(
    'refused',
  );
});
