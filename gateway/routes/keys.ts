import { randomBytes } from 'node:crypto';
import { parseDuration, rights, type KeyObject } from '../../sdk/protocol';
import type { StoredKey } from '../../store/types';
import { hashKey } from '../auth';
import { requireNoLimit } from '../caller';
import { invalidRequest, notFound } from '../errors';
import type { Handlers, Services } from '../handler';
import { listRange } from './runs';

/** API keys, for those with the right `admin` and no limit. */
export function keyRoutes({
  store,
  authenticator,
}: Services): Pick<Handlers, 'createKey' | 'listKeys' | 'revokeKey'> {
  return {
    createKey: async ({ caller, body }) => {
      requireNoLimit(caller);
      // eslint-disable-next-line no-control-regex -- they would break logs and lists
      if (/[\u0000-\u001f\u007f]/.test(body.name)) {
        throw invalidRequest('name: must not contain control characters', 'name');
      }
      const labels = body.labels ?? {};
      const may = body.rights ?? rights.filter((right) => right !== 'admin');
      if (may.includes('admin') && Object.keys(labels).length > 0) {
        throw invalidRequest(
          'rights: a key that is limited to labels cannot have "admin"',
          'rights',
        );
      }
      const key = `rk_${randomBytes(32).toString('base64url')}`;
      const id = `key_${randomBytes(12).toString('hex')}`;
      const createdAt = new Date();
      const lifeMs = parseDuration(body.expiresIn);
      await store.putKey({
        id,
        name: body.name,
        hash: hashKey(key),
        labels,
        rights: [...new Set(may)],
        createdAt,
        ...(lifeMs !== undefined && { expiresAt: new Date(createdAt.getTime() + lifeMs) }),
      });
      return { id, key };
    },
    listKeys: async ({ caller, query }) => {
      requireNoLimit(caller);
      const { rows, nextCursor } = await store.listKeys(listRange(query));
      return { data: rows.map(show), ...(nextCursor !== undefined && { nextCursor }) };
    },
    revokeKey: async ({ caller, params }) => {
      requireNoLimit(caller);
      const found = await store.revokeKey(params.id);
      authenticator.forget(params.id);
      if (!found) throw notFound('key', params.id);
      return { ok: true };
    },
  };
}

function show(key: StoredKey): KeyObject {
  return {
    id: key.id,
    name: key.name,
    labels: key.labels,
    rights: key.rights,
    createdAt: key.createdAt.toISOString(),
    ...(key.lastUsedAt && { lastUsedAt: key.lastUsedAt.toISOString() }),
  };
}
