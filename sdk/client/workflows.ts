import type { Workflow, WorkflowSummary } from '../protocol/workflow';
import type { Schema } from '../tools/declaration';
import { toJsonSchema } from '../tools/json-schema';
import type { Http } from './http';
import type { RequestOptions } from './options';
import { pageOf, type ListParams, type Page } from './page';

/** Parameters of {@link Workflows.save}. */
export interface SaveWorkflowParams {
  /** How scripts call it: `workflows.<name>(input)`. Small letters, digits and `_`. */
  name: string;
  /** What it does, for the model that writes scripts. */
  description: string;
  script: string;
  /** What the script is checked against and calls, whoever calls it. */
  toolset: string;
  /** What its callers pass; left out, anything. */
  input?: Schema;
  /** What its callers get; left out, `any`. */
  output?: Schema;
}

/** Parameters of {@link Workflows.list}. */
export interface ListWorkflowsParams extends ListParams {
  /** Only the versions that this toolset pins; left out, the newest of each name. */
  toolset?: string;
  /** Words of the name or the description. */
  query?: string;
}

/** Saved scripts that other scripts can call, once a toolset pins them. */
export class Workflows {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Checks a script and saves it under a name, as a new version; the same content again gives the
   * same version. Scripts can call it once a toolset pins it: `toolsets.derive`.
   */
  async save(params: SaveWorkflowParams, options?: RequestOptions): Promise<Workflow> {
    const { name, description, script, toolset, input, output } = params;
    return this.#http.request('saveWorkflow', {
      body: {
        name,
        description,
        script,
        toolset,
        input: input === undefined ? undefined : toJsonSchema(input, 'input', 'input'),
        output: output === undefined ? undefined : toJsonSchema(output, 'output', 'output'),
      },
      options,
    });
  }

  /** A saved workflow: its newest version, or the one asked for. */
  async retrieve(
    name: string,
    params: { version?: number } = {},
    options?: RequestOptions,
  ): Promise<Workflow> {
    const { version } = params;
    return this.#http.request('retrieveWorkflow', {
      params: { name },
      query: { version },
      options,
    });
  }

  /** Saved workflows by name, without their scripts. */
  async list(
    params: ListWorkflowsParams = {},
    options?: RequestOptions,
  ): Promise<Page<WorkflowSummary>> {
    const { limit, cursor, toolset, query } = params;
    const answer = await this.#http.request('listWorkflows', {
      query: { limit, cursor, toolset, query },
      options,
    });
    return pageOf(answer, (next) => this.list({ ...params, cursor: next }, options));
  }

  /** Forgets a name. Versions that a toolset pins go on working. */
  async delete(name: string, options?: RequestOptions): Promise<void> {
    await this.#http.request('deleteWorkflow', { params: { name }, options });
  }
}
