/**
 * Every limit that is stated to users, in one place. The gateway enforces them where the data
 * enters, the run enforces them on what a script produces, and errors name them.
 */

const KiB = 1024;
const MiB = 1024 * KiB;

/** Sizes are bytes of UTF-8, times are milliseconds, the rest are counts. */
export const limits = {
  /** Source text of a script. */
  scriptBytes: 256 * KiB,
  /** Input of a run, as JSON. */
  inputBytes: 1 * MiB,
  /** Arguments of one tool call, as JSON. */
  argumentsBytes: 1 * MiB,
  /** Result of one tool call, also of a deferred one, as JSON. */
  resultBytes: 1 * MiB,
  /** Output of a run, as JSON. */
  outputBytes: 1 * MiB,
  /** Payload of a signal, as JSON. */
  signalBytes: 256 * KiB,
  /** Message of an error; longer ones are cut. */
  errorMessageBytes: 16 * KiB,
  /** `data` of an error, as JSON. */
  errorDataBytes: 256 * KiB,
  /** Content of a toolset, as JSON. */
  toolsetBytes: 1 * MiB,
  /** Tools of a toolset. */
  toolsetTools: 1000,
  /** Name of a tool. */
  toolNameLength: 128,
  /** Name of a signal. */
  signalNameLength: 200,
  /** Labels of a run. */
  labels: 20,
  labelKeyLength: 64,
  labelValueLength: 256,
  /** Name of a namespace, that is of one end user. */
  namespaceLength: 200,
  /** Idempotency key given by a caller. */
  idempotencyKeyLength: 200,
  /** Tail of a run's log that is kept. */
  logBytes: 64 * KiB,
  /** Reason of a cancel. */
  reasonLength: 500,
  /** Name of who decided on a call. */
  decidedByLength: 200,
  /** Description of a saved workflow. */
  workflowDescriptionLength: 1000,
  /** Workflows that one toolset pins. */
  toolsetWorkflows: 200,
  /** Text that a list is searched by. */
  queryLength: 200,
  /** Made-up answers and signals of one test. */
  mocks: 100,
  testSignals: 20,
  /** Calls of one run that are in flight; more wait inside the run. */
  callsInFlight: 1000,
  /** Deliveries of one call under `retry`. */
  attempts: 5,
  /** Body of an HTTP request. */
  bodyBytes: 4 * MiB,
  /** Rows of one page. */
  pageRows: 200,
  /** Time to live of a run. */
  ttlMs: 365 * 86_400_000,
  leaseMinMs: 1_000,
  leaseMaxMs: 3_600_000,
  pollWaitMinMs: 2_000,
  pollWaitMaxMs: 300_000,
  /** How long one request waits for a change of a run. */
  retrieveWaitMs: 60_000,
} as const;

/** What holds where a caller says nothing. Milliseconds and counts. */
export const defaults = {
  ttlMs: 7 * 86_400_000,
  leaseMs: 60_000,
  pollWaitMs: 30_000,
  concurrency: 10,
  pageRows: 50,
  policy: 'retry',
} as const;
