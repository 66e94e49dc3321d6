import type { Duration } from '../protocol/duration';
import type { KeyObject, Right } from '../protocol/key';
import type { Labels } from '../protocol/labels';
import type { Http } from './http';
import { pageOf, type ListParams, type Page } from './page';
import type { RequestOptions } from './options';

/** A new API key, shown this once. */
export interface CreatedKey {
  id: string;
  key: string;
}

/** Parameters of {@link Keys.create}. */
export interface CreateKeyParams {
  name: string;
  /** Limits the key to runs that have these labels. */
  labels?: Labels;
  /** Default: all but `admin`. */
  rights?: Right[];
  /** Default: never. */
  expiresIn?: Duration;
}

/** API keys. Needs a key with the right `admin` and no limit to labels. */
export class Keys {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Makes a key. It is shown this once: only its hash is kept. The request is not repeated after a
   * failure, since a repeat could make a second key.
   */
  async create(params: CreateKeyParams, options?: RequestOptions): Promise<CreatedKey> {
    const { name, labels, rights, expiresIn } = params;
    return this.#http.request('createKey', {
      body: { name, labels, rights, expiresIn },
      options: { maxRetries: 0, ...options },
    });
  }

  /** The keys, without the keys themselves. */
  async list(params: ListParams = {}, options?: RequestOptions): Promise<Page<KeyObject>> {
    const { limit, cursor } = params;
    const answer = await this.#http.request('listKeys', { query: { limit, cursor }, options });
    return pageOf(answer, (next) => this.list({ ...params, cursor: next }, options));
  }

  /** Makes a key invalid at once. */
  async revoke(id: string, options?: RequestOptions): Promise<void> {
    await this.#http.request('revokeKey', { params: { id }, options });
  }
}
