import { rights } from '../sdk/protocol';
import type { Store } from '../store/types';
import { hashKey } from './auth';

/** Id of the key that the server's settings give. */
export const ROOT_KEY_ID = 'key_00000000root';

/**
 * Makes the key of the settings valid, with every right. Another key in the settings replaces it, and
 * one that was revoked is valid again: the settings have the last word.
 */
export async function ensureRootKey(store: Store, key: string): Promise<void> {
  const hash = hashKey(key);
  const known = await store.keyByHash(hash);
  if (known?.id === ROOT_KEY_ID) return;
  await store.putKey({
    id: ROOT_KEY_ID,
    name: 'root key of the settings',
    hash,
    labels: {},
    rights: [...rights],
    createdAt: new Date(),
  });
}
