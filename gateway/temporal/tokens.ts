import type { Labels } from '../../sdk/protocol';
import { hasLabels } from '../../sdk/protocol';
import type { Scope } from '../engine';
import type { Sealer } from '../sealer';

/** Whose call a token is for. Checked against the scope of whoever presents it. */
interface TokenRun {
  run: string;
  seq: number;
  namespace: string;
  labels: Labels;
}

/** A worker's right to one delivery. */
export interface ClaimToken extends TokenRun {
  /** Temporal's task token, base64. */
  task: string;
  expiresAt: string;
}

/** The right to answer a deferred call. Names no delivery: a repeated defer gives one of the same worth. */
export type DeferralToken = TokenRun;

export const sealClaim = (sealer: Sealer, token: ClaimToken): Promise<string> =>
  sealer.seal('claim', token);
export const sealDeferral = (sealer: Sealer, token: DeferralToken): Promise<string> =>
  sealer.seal('deferral', token);

/** `undefined` for a bad token and for one of somebody else: the two read the same. */
export async function openClaim(
  sealer: Sealer,
  scope: Scope,
  text: string,
): Promise<ClaimToken | undefined> {
  const token = (await sealer.open('claim', text)) as ClaimToken | undefined;
  return token && covers(scope, token) ? token : undefined;
}

export async function openDeferral(
  sealer: Sealer,
  scope: Scope,
  text: string,
): Promise<DeferralToken | undefined> {
  const token = (await sealer.open('deferral', text)) as DeferralToken | undefined;
  return token && covers(scope, token) ? token : undefined;
}

function covers(scope: Scope, token: TokenRun): boolean {
  return (
    (scope.namespace === undefined || scope.namespace === token.namespace) &&
    hasLabels(token.labels, scope.labels)
  );
}
