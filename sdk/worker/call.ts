import type { Task } from '../protocol/task';
import { issuePath, type StandardProps } from '../tools/standard-schema';
import { answer, type AnswerOptions } from './answer';
import { createContext, type HostToolContext } from './context';
import { Deferring } from './deferring';
import { Lease } from './lease';
import type { Tool } from './options';
import { failureOf, outcomeOfResult, outcomeOfThrown, type Outcome } from './outcome';

/** Executes one delivery, from its claim to its answer. */
export async function executeCall(task: Task, tool: Tool, options: AnswerOptions): Promise<void> {
  const { heartbeats, report } = options;
  const lease = new Lease(task, performance.now());
  const deferring = new Deferring(lease, options);

  if (task.policy === 'at_most_once') {
    // The server must know that the call begins before it does: then nobody else can begin it.
    heartbeats.start(lease, 'at once');
    if (!(await lease.acknowledged)) return;
  } else {
    heartbeats.start(lease, 'next turn');
  }

  const context = createContext(task, {
    signal: lease.signal,
    heartbeat: () => ignorable(heartbeats.now(lease)),
    defer: (defer) => ignorable(deferring.defer(defer)),
  });
  let ending = await run(tool, task.input, context);
  const failed = await deferring.settled();
  if (failed) ending = { thrown: failed.error };

  const place = { tool: task.tool, runId: task.runId, seq: task.seq };
  if (lease.held) {
    const outcome = await outcomeOf(ending, tool);
    for (const problem of outcome.problems) report(problem, { during: 'handler', ...place });
    await answer(lease, outcome, options);
  } else {
    // Deferred or lost: what the handler gives is no answer any more.
    if (!lease.lost && 'thrown' in ending) report(ending.thrown, { during: 'handler', ...place });
    await heartbeats.pause(lease);
  }
}

/** What the handler came to, or the failure of its input. */
type Ending = { value: unknown } | { thrown: unknown } | { outcome: Outcome };

async function run(tool: Tool, input: unknown, context: HostToolContext): Promise<Ending> {
  try {
    const args = await parse(tool.input, input, 'input');
    return 'outcome' in args ? args : { value: await tool.run(args.value, context) };
  } catch (thrown) {
    return { thrown };
  }
}

async function outcomeOf(ending: Ending, tool: Tool): Promise<Outcome> {
  if ('outcome' in ending) return ending.outcome;
  if ('thrown' in ending) return outcomeOfThrown(ending.thrown);
  try {
    const result = await parse(tool.output, ending.value, 'result');
    return 'outcome' in result ? result.outcome : outcomeOfResult(result.value);
  } catch (error) {
    return outcomeOfThrown(error);
  }
}

/** By the schema of `tool()`: with its defaults and transforms, as its types say. */
async function parse(
  schema: StandardProps | undefined,
  value: unknown,
  root: 'input' | 'result',
): Promise<{ value: unknown } | { outcome: Outcome }> {
  if (typeof schema?.validate !== 'function') return { value };
  const result = await schema.validate(value);
  if (!result.issues) return { value: result.value };
  const issues = result.issues
    .slice(0, 10)
    .map((issue) => ({ path: issuePath(root, issue), message: String(issue.message) }));
  const text = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return { outcome: failureOf(`invalid ${root}: ${text}`, { issues }) };
}

/** A handler need not await it: a rejection that nobody sees must not end the process. */
function ignorable<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
