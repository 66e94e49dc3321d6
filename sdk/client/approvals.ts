import type { Approval } from '../protocol/approval';
import type { Labels } from '../protocol/labels';
import type { Run } from '../protocol/run';
import type { Http } from './http';
import { labelPairs } from './label-pairs';
import type { RequestOptions } from './options';
import { pageOf, type ListParams, type Page } from './page';

/** Parameters of {@link Approvals.list}. */
export interface ListApprovalsParams extends ListParams {
  /** Only of runs that have all of these. */
  labels?: Labels;
}

/** Calls that wait until a person lets them be made. Needs a credential with the right `approve`. */
export class Approvals {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /** All calls of one run that wait for a person now; none without a run, as of a result that has none. */
  async pending(run: Run | string | undefined, options?: RequestOptions): Promise<Approval[]> {
    if (run === undefined) return [];
    const id = typeof run === 'string' ? run : run.id;
    const all: Approval[] = [];
    for await (const approval of await this.#page({ run: id }, {}, options)) all.push(approval);
    return all;
  }

  /** Calls that wait for a person now, oldest first. */
  async list(params: ListApprovalsParams = {}, options?: RequestOptions): Promise<Page<Approval>> {
    const { labels, ...range } = params;
    return this.#page(labels ? { label: labelPairs(labels) } : {}, range, options);
  }

  /**
   * Lets the call be made, with the arguments that the approval shows. Of two decisions the first
   * counts: another one ends with a `ConflictError` that says what the first was.
   */
  async approve(
    approval: Approval | string,
    decision: { by: string; note?: string },
    options?: RequestOptions,
  ): Promise<void> {
    const { by, note } = decision;
    const params = { id: idOf(approval) };
    await this.#http.request('approveCall', { params, body: { by, note }, options });
  }

  /** Refuses the call: the script gets a `ToolError` with the code `denied` and the reason. */
  async deny(
    approval: Approval | string,
    decision: { by: string; reason?: string },
    options?: RequestOptions,
  ): Promise<void> {
    const { by, reason } = decision;
    const params = { id: idOf(approval) };
    await this.#http.request('denyCall', { params, body: { by, reason }, options });
  }

  async #page(
    filter: { run?: string; label?: string[] },
    range: ListParams,
    options: RequestOptions | undefined,
  ): Promise<Page<Approval>> {
    const { limit, cursor } = range;
    const answer = await this.#http.request('listApprovals', {
      query: { limit, cursor, ...filter },
      options,
    });
    return pageOf(answer, (next) => this.#page(filter, { ...range, cursor: next }, options));
  }
}

function idOf(approval: Approval | string): string {
  return typeof approval === 'string' ? approval : approval.id;
}
