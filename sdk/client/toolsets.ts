import type { ToolsetObject, WorkflowRef } from '../protocol/toolset';
import { wireTools } from '../tools/wire-tools';
import type { ToolDeclaration } from '../tools/declaration';
import type { Http } from './http';
import type { RequestOptions } from './options';

/** An immutable declaration of tools; its `id` is made of the content. Schemas are JSON Schema. */
export type Toolset = ToolsetObject;

/** Toolsets: which tools scripts can call. */
export class Toolsets {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /** Declares tools. The same content gives the same id, so this may be called at each start. */
  async create(
    params: { tools: Record<string, ToolDeclaration> },
    options?: RequestOptions,
  ): Promise<Toolset> {
    const body = { tools: wireTools(params.tools) };
    return this.#http.request('createToolset', { body, options });
  }

  /** A toolset by its id. */
  async retrieve(id: string, options?: RequestOptions): Promise<Toolset> {
    return this.#http.request('retrieveToolset', { params: { id }, options });
  }

  /**
   * The same tools with workflows pinned, whose versions scripts then call as `workflows.<name>`. Pins of
   * the toolset stay, except where one of the same name is given. It has an id of its own.
   */
  async derive(
    id: string,
    params: { workflows: WorkflowRef[] },
    options?: RequestOptions,
  ): Promise<Toolset> {
    const workflows = params.workflows.map(({ name, version }) => ({ name, version }));
    return this.#http.request('deriveToolset', { params: { id }, body: { workflows }, options });
  }

  /** The TypeScript declarations that scripts of the toolset are checked against; of some tools, or all. */
  async declarations(
    id: string,
    params: { names?: string[] } = {},
    options?: RequestOptions,
  ): Promise<string> {
    const answer = await this.#http.request('declarations', {
      params: { id },
      query: { name: params.names },
      options,
    });
    return answer.declarations;
  }
}
