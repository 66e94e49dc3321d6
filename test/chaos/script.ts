/** What one use of a tool brought, as the script saw it. */
export interface Seen {
  tool: string;
  value?: string;
  error?: { code: string; message: string; seq: number; outcomeUnknown: boolean };
}

export interface Output {
  seen: Seen[];
  /** Payloads of the signal, in the order in which they came. */
  signals: number[];
}

/** Signals that every run is sent; it waits for each. */
export const SIGNALS = 3;

/** Calls one after the other and side by side, under both policies, deferred ones, sleeps, signals. */
export const script = `
interface Seen { tool: string; value?: string; error?: { code: string; message: string; seq: number; outcomeUnknown: boolean } }
const seen: Seen[] = [];
const signals: number[] = [];
async function use(tool: string, call: Promise<unknown>): Promise<void> {
  try {
    seen.push({ tool, value: String(await call) });
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { code, message, seq, outcomeUnknown } = error;
    seen.push({ tool, error: { code, message, seq, outcomeUnknown } });
  }
}
const { plan } = input as { plan: number[] };
for (const ms of plan) {
  if (ms % 2 === 0) await use("chaos.retry", chaos.retry({ ms }));
  else await use("chaos.once", chaos.once({ ms }));
}
signals.push((await waitForSignal<number>("go")) ?? -1);
await Promise.all([
  use("chaos.later", chaos.later({})),
  use("chaos.later_once", chaos.later_once({})),
  ...plan.map((ms) => (ms % 3 === 0 ? use("chaos.once", chaos.once({ ms })) : use("chaos.retry", chaos.retry({ ms })))),
  (async () => { signals.push((await waitForSignal<number>("go")) ?? -1); })(),
]);
await sleep("300ms");
signals.push((await waitForSignal<number>("go")) ?? -1);
return { seen, signals };
`;
