/** What the recorded runs did: every way in which a script meets the engine. */
export const scenes: Record<
  string,
  { script: string; ttl?: '2s'; signals?: [string, unknown][]; cancel?: boolean }
> = {
  'calls-in-sequence': {
    script: `let sum = 0;
for (let i = 0; i < 10; i++) sum += (await scene.echo({ n: i })).n;
return { sum, random: Math.random(), now: Date.now() > 0 };`,
  },
  'calls-side-by-side': {
    script: `const all = await Promise.all(Array.from({ length: 5 }, (_, n) => scene.echo({ n })));
const first = await Promise.race([scene.echo({ n: 1 }), sleep("1h").then(() => "late")]);
const any = await Promise.any([scene.fail({ message: 'no' }), scene.echo({ n: 2 })]);
const settled = await Promise.allSettled([scene.fail({ message: 'no' }), scene.echo({ n: 3 })]);
return { all, first, any, settled: settled.map(({ status }) => status) };`,
  },
  'failures-and-retries': {
    script: `const flaky = await scene.flaky({});
const refused = await scene.echo({ n: 'x' as any }).catch((e: any) => e.code);
const failed = await scene.fail({ message: 'no', data: { code: 'not_found' } }).catch((e: any) => [e.message, e.data]);
console.log('flaky', flaky);
scene.echo({ n: 9 });
return { flaky, refused, failed };`,
  },
  'deferral-signals-sleeps': {
    script: `const answer = await scene.ask({});
const go = [await waitForSignal("go"), await waitForSignal("go")];
const none = await waitForSignal("never", { timeout: "100ms" });
await sleep("100ms");
return { answer, go, none: none ?? null };`,
    signals: [
      ['go', 1],
      ['go', { two: 2 }],
      ['goo', 3],
    ],
  },
  'failed-with-a-limit': { script: 'await scene.echo({ n: 1 });\nfor (;;) {}' },
  'failed-with-an-error': {
    script: 'const x: any = await scene.echo({ n: 1 });\nthrow new TypeError(`n is ${x.n}`);',
  },
  canceled: { script: 'await waitForSignal("never")', cancel: true },
  expired: { script: 'while (true) { try { await waitForSignal("never") } catch {} }', ttl: '2s' },
};
