import { AgentTools } from '../agent-tools/agent-tools';
import type { AgentToolsOptions } from '../agent-tools/types';
import { namespaceSchema } from '../protocol/labels';
import type { HostToolWorker, WorkerOptions } from '../worker/options';
import { startWorker } from '../worker/worker';
import { Approvals } from './approvals';
import { Http } from './http';
import { Keys } from './keys';
import { invalid, readOptions, type RewindOptions } from './options';
import { Runs } from './runs';
import { Scripts } from './scripts';
import { Tasks } from './tasks';
import { Toolsets } from './toolsets';
import { Workflows } from './workflows';

/** How a namespaced client is made of another: not for callers, who cannot name it. */
const inherited = Symbol('http');

/**
 * Client of a Rewind server.
 *
 * @example
 * const rewind = new Rewind(); // REWIND_API_KEY, REWIND_BASE_URL
 * const toolset = await rewind.toolsets.create({ tools });
 * const run = await rewind.namespace(user.id).runs.create({ script, toolset: toolset.id });
 */
export class Rewind {
  readonly #http: Http;
  /** Which tools scripts can call. */
  readonly toolsets: Toolsets;
  /** Checking and testing scripts without running them. */
  readonly scripts: Scripts;
  /** Durable executions of scripts. */
  readonly runs: Runs;
  /** Answers to deferred calls. */
  readonly tasks: Tasks;
  /** Calls that wait for a person. */
  readonly approvals: Approvals;
  /** Saved scripts that other scripts can call. */
  readonly workflows: Workflows;
  /** API keys. */
  readonly keys: Keys;

  constructor(options: RewindOptions = {}) {
    const http = (options as { [inherited]?: Http })[inherited] ?? new Http(readOptions(options));
    this.#http = http;
    this.toolsets = new Toolsets(http);
    this.scripts = new Scripts(http);
    this.runs = new Runs(http);
    this.tasks = new Tasks(http);
    this.approvals = new Approvals(http);
    this.workflows = new Workflows(http);
    this.keys = new Keys(http);
  }

  /**
   * The same client for one end user: the runs it starts are theirs, it sees no others, and its
   * worker claims only their calls. Makes no request.
   */
  namespace(id: string): Rewind {
    const checked = namespaceSchema.safeParse(id);
    if (!checked.success) {
      throw invalid('namespace', checked.error.issues[0]?.message ?? 'is not a namespace');
    }
    return new Rewind({ [inherited]: this.#http.forNamespace(id) } as RewindOptions);
  }

  /**
   * Starts a worker: from now on it claims calls of the tools in `options.tools` and runs their
   * handlers, until `stop()`.
   */
  worker(options: WorkerOptions): HostToolWorker {
    return startWorker(this.#http, options);
  }

  /**
   * Tools for a model that writes scripts: it checks, tests, runs, follows and steers them. Take them
   * from `rewind.namespace(id)`, or from a client with an end user's token: the runs are that user's.
   */
  agentTools(options: AgentToolsOptions = {}): AgentTools {
    return new AgentTools(this, this.#http.actsForOne, options);
  }
}
