import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Store, StoredKey } from '../store/types';
import type { Caller } from './caller';
import { unauthenticated } from './errors';

/** How long a key that was found is taken to be valid; a revoke elsewhere acts after so long. */
const REMEMBER_MS = 5_000;
const REMEMBER_KEYS = 1_000;
const TOUCH_MS = 60_000;

/** Tells who sends a request. The one place that knows credentials. */
export interface Authenticator {
  /** Fails with `unauthenticated` for everything but one valid credential. */
  authenticate(request: IncomingMessage): Promise<Caller>;
  /** A key was revoked here: it is not valid from now on. */
  forget(id: string): void;
}

/** What is kept of a key, and what it is looked up by: so no comparison tells of it by its time. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Keys of the store, remembered for some seconds. */
export function createAuthenticator(store: Store, logger: Logger): Authenticator {
  const remembered = new Map<string, { key: StoredKey; until: number }>();
  const touched = new Map<string, number>();
  // A revoke during a look-up must not be undone by what the look-up had read before.
  let forgotten = 0;

  async function find(hash: string): Promise<StoredKey | undefined> {
    const known = remembered.get(hash);
    if (known && known.until > Date.now()) return known.key;
    remembered.delete(hash);
    const before = forgotten;
    const key = await store.keyByHash(hash);
    if (key && before === forgotten) {
      if (remembered.size >= REMEMBER_KEYS) remembered.clear();
      remembered.set(hash, { key, until: Date.now() + REMEMBER_MS });
    }
    return key;
  }

  function touch(id: string): void {
    const now = Date.now();
    if (now - (touched.get(id) ?? 0) < TOUCH_MS) return;
    if (touched.size >= REMEMBER_KEYS) touched.clear();
    touched.set(id, now);
    store.touchKey(id, new Date(now)).catch((error: unknown) => {
      logger.warn({ reason: String(error) }, 'the last use of a key was not noted');
    });
  }

  return {
    authenticate: async (request) => {
      const key = await find(hashKey(credential(request)));
      if (!key || (key.expiresAt && key.expiresAt.getTime() <= Date.now())) throw unauthenticated();
      touch(key.id);
      return {
        kind: 'key',
        id: key.id,
        rights: key.rights,
        ...(Object.keys(key.labels).length > 0 && { labels: key.labels }),
      };
    },
    forget: (id) => {
      forgotten++;
      for (const [hash, { key }] of remembered) if (key.id === id) remembered.delete(hash);
    },
  };
}

/** The one bearer credential of a request. Node keeps the first of several, so all are counted. */
function credential(request: IncomingMessage): string {
  const sent = request.headersDistinct['authorization'] ?? [];
  const match = sent.length === 1 ? /^Bearer +([\x21-\x7e]{1,512})$/i.exec(sent[0] ?? '') : null;
  if (!match?.[1]) throw unauthenticated();
  return match[1];
}
