// Needs nothing but the package and zod: no types of Node.
import {
  HostToolError,
  Rewind,
  type HostToolContext,
  type Page,
  type Run,
} from '@rewind.codes/sdk';
import { limits, runSchema } from '@rewind.codes/sdk/protocol';

const rewind = new Rewind({ apiKey: 'k', fetch, timeout: '30s' });

export async function follow(signal: AbortSignal): Promise<Run[]> {
  const page: Page<Run> = await rewind.namespace('ada').runs.list({ state: 'waiting' });
  const runs: Run[] = [];
  for await (const run of page) runs.push(await rewind.runs.wait(run.id, { signal }));
  return runs;
}

export async function handler({ url }: { url: string }, ctx: HostToolContext): Promise<unknown> {
  const response = await fetch(url, { signal: ctx.signal });
  if (!response.ok) throw new HostToolError('no', { retryable: true, retryAfter: '5s' });
  return response.json();
}

export const most: number = limits.resultBytes;
export const parsed = runSchema.safeParse({});
