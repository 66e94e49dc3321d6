import { hasLabels, limits, type Labels, type Right } from '../sdk/protocol';
import type { Scope } from './engine';
import { forbidden, invalidRequest } from './errors';

/** Whom a credential stands for, and what it may do. */
export interface Caller {
  kind: 'key';
  id: string;
  rights: readonly Right[];
  /** Absent: not limited to labels. */
  labels?: Labels;
  /** Absent: may act for every end user. */
  namespace?: string;
}

/** Fails where the credential lacks the right. */
export function requireRight(caller: Caller, right: Right): void {
  if (!caller.rights.includes(right)) throw forbidden(`this needs the right "${right}"`);
}

/** Keys are made and revoked by those who see everything: else a limited key could lift its limit. */
export function requireNoLimit(caller: Caller): void {
  if (caller.labels !== undefined || caller.namespace !== undefined) {
    throw forbidden('a credential with a limit may not manage keys');
  }
}

/** What the request may see: `namespace` is the end user that it names, if it names one. */
export function scopeOf(caller: Caller, namespace: string | undefined): Scope {
  if (caller.namespace !== undefined && namespace !== undefined && namespace !== caller.namespace) {
    throw forbidden('this credential acts for another end user');
  }
  const whom = caller.namespace ?? namespace;
  return {
    ...(whom !== undefined && { namespace: whom }),
    ...(caller.labels !== undefined && { labels: caller.labels }),
  };
}

/**
 * Labels of a new run. Those of the credential are added where the request has none of that name;
 * another value is refused, since the credential could not see the run.
 */
export function labelsFor(caller: Caller, given: Labels = {}): Labels {
  const labels = { ...caller.labels, ...given };
  if (!hasLabels(labels, caller.labels)) {
    const name = Object.keys(caller.labels ?? {}).find(
      (key) => labels[key] !== caller.labels?.[key],
    );
    throw forbidden(
      `this key is limited to its own value of the label ${JSON.stringify(name)}`,
      `labels.${name}`,
    );
  }
  if (Object.keys(labels).length > limits.labels) {
    throw invalidRequest(`at most ${limits.labels} labels, with those of the key`, 'labels');
  }
  return labels;
}
