import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTheatre, type Theatre } from '../host-tools/theatre';

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
}, 60_000);
afterAll(() => theatre.stop());

const TOOLS = ['load.echo', 'load.once'];
const CLAIMERS = 4;

/** Claims by hand and dies: before the response, after its first bytes, or with a task in hand. */
function claimAndDie(seen: { tasks: number }, worker: string): Promise<void> {
  return new Promise((resolve) => {
    const claim = request(`${theatre.rewind.url}/v1/tasks/claim`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${theatre.rewind.apiKey}`,
        'content-type': 'application/json',
      },
    });
    claim.on('response', (response) => {
      response.once('data', (chunk: Buffer) => {
        if (!chunk.toString().includes('"task":null')) seen.tasks += 1;
        setTimeout(() => claim.destroy(), Math.random() * 5);
      });
      response.on('error', () => undefined);
    });
    claim.on('error', () => undefined);
    claim.on('close', () => resolve());
    claim.end(JSON.stringify({ tools: TOOLS, wait: '5s', worker }));
    setTimeout(() => claim.destroy(), 20 + Math.random() * 300);
  });
}

test('FC-01: claimers that die at the wrong moment lose no call, and no handler is entered twice that must not be', async () => {
  const toolset = await theatre.declare({
    'load.echo': { lease: '2s' },
    'load.once': { lease: '2s', policy: 'at_most_once' },
  });
  const entered = new Map<string, number>();
  theatre.worker({
    'load.echo': (input: unknown) => input,
    'load.once': (input: unknown, { idempotencyKey }) => {
      entered.set(idempotencyKey, (entered.get(idempotencyKey) ?? 0) + 1);
      return input;
    },
  });
  const seen = { tasks: 0 };
  let over = false;
  const claimers = Array.from({ length: CLAIMERS }, async (_, index) => {
    while (!over) await claimAndDie(seen, `claimer_${index}_by_hand`);
  });
  // 50 runs of five calls: 200 under `retry`, 50 under `at_most_once`, over a few seconds.
  const started: string[] = [];
  for (let number = 0; number < 50; number += 1) {
    const script = `
      const use = (call: Promise<unknown>) => call.then(() => "answered", (e: ToolError) => e.outcomeUnknown ? "unknown" : String(e));
      return [await use(load.once({})), ...await Promise.all([1, 2, 3, 4].map((n) => use(load.echo({ n }))))];`;
    started.push((await theatre.runs().create({ script, toolset })).id);
    await sleep(50);
  }
  over = true;
  await Promise.all(claimers);
  const cutAt = Date.now();
  for (const id of started) {
    const run = await theatre.runs().wait(id);
    expect(run.state).toBe('completed');
    const [once, ...others] = run.output as string[];
    expect(once).toMatch(/^(answered|unknown)$/);
    expect(others).toEqual(['answered', 'answered', 'answered', 'answered']);
    // One lease and 5 s after the last cut, with slack for a busy machine.
    expect(Date.parse(run.endedAt ?? '') - cutAt).toBeLessThan(20_000);
  }
  expect(entered.size).toBe(50);
  expect(Math.max(...entered.values())).toBe(1);
  // Else this has shown nothing.
  expect(seen.tasks).toBeGreaterThan(0);
}, 180_000);
