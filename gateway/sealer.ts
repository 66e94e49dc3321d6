import { createHash, hkdfSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';

/** Makes opaque tokens of small JSON objects, and opens its own. */
export interface Sealer {
  seal(kind: string, payload: object): Promise<string>;
  /** `undefined` for whatever is not a token of this kind that one of the keys sealed. Never throws. */
  open(kind: string, token: string): Promise<unknown>;
}

interface SealKey {
  id: string;
  secret: Uint8Array;
}

/** The first key seals, all of them open: so keys are rotated while old tokens are still out. */
export function createSealer(keys: readonly string[]): Sealer {
  const known = keys.map(derive);
  const first = known[0];
  if (!first) throw new Error('a sealer needs at least one key');
  const byId = new Map(known.map((key) => [key.id, key]));

  return {
    seal: (kind, payload) =>
      new CompactEncrypt(new TextEncoder().encode(JSON.stringify({ kind, payload })))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: first.id })
        .encrypt(first.secret),
    open: async (kind, token) => {
      try {
        const { plaintext } = await compactDecrypt(
          token,
          (header) => byId.get(header.kid ?? '')?.secret ?? Promise.reject(new Error('no key')),
          { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
        );
        const sealed = JSON.parse(new TextDecoder().decode(plaintext)) as {
          kind: string;
          payload: unknown;
        };
        return sealed.kind === kind ? sealed.payload : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** A setting is a text of any length; the cipher wants 256 bits, and the id must not tell of them. */
function derive(text: string): SealKey {
  const secret = new Uint8Array(hkdfSync('sha256', text, '', 'rewind seal', 32));
  return { id: createHash('sha256').update(secret).digest('hex').slice(0, 12), secret };
}
