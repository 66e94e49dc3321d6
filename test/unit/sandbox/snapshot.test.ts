import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { QuickJS, type JSValueHandle } from 'quickjs-wasi';
import { prelude } from '../../../sandbox/prelude';
import { PROGRAM_PREFIX } from '../../../sandbox/stack';

const wasm = new WebAssembly.Module(readFileSync(require.resolve('quickjs-wasi/quickjs.wasm')));

// The bridge keeps every pending promise inside the guest and has one function each way, so that a
// run is its linear memory: proven here, to be used when runs outgrow one history.
test('a script in the middle of a loop goes on from a snapshot, its locals and pending promises intact', async () => {
  const asked: [number, string, string][] = [];
  const call =
    (vm: () => QuickJS) => (id?: JSValueHandle, name?: JSValueHandle, json?: JSValueHandle) => {
      asked.push([id?.toNumber() ?? 0, name?.toString() ?? '', json?.toString() ?? '']);
      return vm().true;
    };
  const first: QuickJS = await QuickJS.create({ wasm });
  const host = first.newFunction(
    'call',
    call(() => first),
  );
  const scope = {
    tools: ['crm.find'],
    workflows: [],
    run: { id: 'run_1', namespace: 'ada', labels: {}, startedAt: '' },
    seed: '0123456789abcdef0123456789abcdef',
    argumentsBytes: 1000,
  };
  const bridge = first.callFunction(
    first.evalCode(prelude, 'prelude.js'),
    first.undefined,
    host,
    first.newString(JSON.stringify(scope)),
  );
  const program = `exports.default = async () => {
    const seen = [];
    for (let i = 0; i < 4; i++) { const local = 'turn ' + i; seen.push([local, await crm.find({ i })]); }
    return seen;
  };`;
  const settleToken = first.exportHandle(bridge.getProp('settle'));
  first.callFunction(
    bridge.getProp('start'),
    first.undefined,
    first.evalCode(`${PROGRAM_PREFIX}${program}\n})`, 'script.js'),
  );
  first.executePendingJobs();

  const answer = (vm: QuickJS, settle: JSValueHandle, id: number) => {
    vm.callFunction(
      settle,
      vm.undefined,
      vm.newNumber(id),
      vm.true,
      vm.newString(JSON.stringify(id * 10)),
    );
    vm.executePendingJobs();
  };
  answer(first, bridge.getProp('settle'), 1);
  const bytes = QuickJS.serializeSnapshot(first.snapshot());
  first.dispose();

  const second: QuickJS = await QuickJS.restore(QuickJS.deserializeSnapshot(bytes), { wasm });
  second.registerHostCallback(
    'call',
    call(() => second),
  );
  const settle = second.importHandle(settleToken);
  for (const id of [2, 3, 4]) answer(second, settle, id);
  expect(asked).toEqual([
    ...[0, 1, 2, 3].map((i) => [i + 1, 'tool:crm.find', JSON.stringify({ i })]),
    [0, 'return', JSON.stringify([0, 1, 2, 3].map((i) => [`turn ${i}`, (i + 1) * 10]))],
  ]);
  second.dispose();
});
