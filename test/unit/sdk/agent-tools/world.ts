import type { AgentTools, AgentToolsOptions, Run, TraceEntry } from '@rewind.codes/sdk';
import { FakeServer } from '../support/fake-server';

export const RUN = 'run_01k4zt6m';
export const TOOLSET = 'ts_12345678';

/** A run with what a test does not care about. */
export function runWith(fields: Partial<Run>): Run {
  return {
    id: RUN,
    state: 'completed',
    namespace: 'ada',
    toolset: TOOLSET,
    labels: {},
    calls: 0,
    createdAt: '2026-12-01T09:00:00.000Z',
    expiresAt: '2026-12-08T09:00:00.000Z',
    waitingFor: [],
    ...fields,
  };
}

/** A call with what a test does not care about. */
export function callWith(fields: Partial<TraceEntry>): TraceEntry {
  return {
    seq: 1,
    tool: 'crm.find_customer',
    input: { email: 'ada@example.com' },
    state: 'completed',
    attempt: 1,
    fromRecord: false,
    line: 3,
    startedAt: '2026-12-01T09:00:00.000Z',
    endedAt: '2026-12-01T09:00:00.400Z',
    ...fields,
  };
}

/** What a server knows, for one run. */
export interface World {
  server: FakeServer;
  agent: AgentTools;
}

/** A server that tells of one run, and the tools of an agent before it. */
export function worldOf(
  run: Run,
  { log = '', calls = [] as TraceEntry[] } = {},
  options: AgentToolsOptions = {},
): World {
  const server = new FakeServer()
    .on('/v1/runs', ({ method }) => (method === 'POST' ? { ...run } : { data: [run] }))
    .on(`/v1/runs/${run.id}`, () => ({ ...run }))
    .on(`/v1/runs/${run.id}/retry`, () => ({ ...run }))
    .on(`/v1/runs/${run.id}/cancel`, () => ({ ...run, state: 'canceled' }))
    .on(`/v1/runs/${run.id}/log`, () => ({ text: log, offset: 0, total: log.length }))
    .on(`/v1/runs/${run.id}/trace`, ({ query }) => ({
      data: calls.filter(({ seq }) => seq >= Number(query.get('from') ?? 1)),
    }));
  const agent = server
    .client({ maxRetries: 0 })
    .namespace('ada')
    .agentTools({ toolset: TOOLSET, ...options });
  return { server, agent };
}
