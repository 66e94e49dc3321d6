import { readFileSync } from 'node:fs';
import {
  compileEngine,
  runInProcess,
  type DriverAnswer,
  type DriverResult,
  type GuestCall,
  type SandboxLimits,
} from '../../../sandbox';

const engine = compileEngine(readFileSync(require.resolve('quickjs-wasi/quickjs.wasm')));

export interface RunOptions {
  answer?: (call: GuestCall) => DriverAnswer | Promise<DriverAnswer>;
  tools?: string[];
  input?: unknown;
  limits?: Partial<SandboxLimits>;
  seed?: string;
  now?: () => number;
}

/** Line of the program on which the first line of a body stands. */
export const BODY_LINE = 2;

/** Tools answer what they were asked, sleeps and signals nothing. */
export const echo = (call: GuestCall): DriverAnswer =>
  call.kind === 'tool' ? { ok: true, json: call.json } : { ok: true };

export const failing = (data?: unknown): DriverAnswer => ({
  ok: false,
  failure: {
    message: 'no customer ada',
    code: 'failed',
    outcomeUnknown: false,
    seq: 1,
    ...(data === undefined ? {} : { dataJson: JSON.stringify(data) }),
  },
});

/** Runs plain JavaScript as the body of a script. */
export function run(body: string, options: RunOptions = {}): Promise<DriverResult> {
  const { input, tools = ['crm.find', 'ask', 'get-weather'] } = options;
  return runInProcess({
    engine,
    program: { code: `exports.default = async function (input) {\n${body}\n};` },
    scope: {
      tools,
      workflows: [],
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
      run: {
        id: 'run_1',
        namespace: 'ada',
        labels: { team: 'a' },
        startedAt: '2026-01-01T00:00:00Z',
      },
    },
    seed: options.seed ?? '00112233445566778899aabbccddeeff',
    now: options.now ?? (() => Date.UTC(2026, 0, 2, 3, 4, 5)),
    answer: options.answer ?? echo,
    ...(options.limits ? { limits: options.limits } : {}),
  });
}

/** The output of a script that completes. */
export async function output(body: string, options?: RunOptions): Promise<unknown> {
  const { end } = await run(body, options);
  if (!end.ok) throw new Error(`${end.error.name}: ${end.error.message}`);
  return JSON.parse(end.json);
}

/** The error of a script that fails. */
export async function failure(body: string, options?: RunOptions) {
  const { end } = await run(body, options);
  if (end.ok) throw new Error(`completed with ${end.json}`);
  return end.error;
}
