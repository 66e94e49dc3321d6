import { isGrpcServiceError, type Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { searchAttributes } from '../workflows/contract';

/** How long Temporal keeps ended runs, and so the guard of idempotency keys. */
export const RETENTION_DAYS = 30;
const DAY_SECONDS = 86_400;
/** How long the servers of a cluster may take to learn of a new namespace. */
const PROPAGATION_MS = 30_000;

/** What a Temporal namespace has of what Rewind needs. */
export interface NamespaceState {
  exists: boolean;
  retentionDays: number;
  /** Names of search attributes that are not there, or have another type. */
  missing: string[];
}

/** Something that an operator has to know, with the command that mends it. */
export interface NamespaceProblem {
  /** Without it the server does not work. */
  fatal: boolean;
  message: string;
  command: string;
}

const typeNames = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' } as const;
const typeValues = {
  KEYWORD: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KEYWORD_LIST: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
} as const;
type AttributeName = keyof typeof searchAttributes;

/** gRPC status codes by name. */
const codes = {
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  UNIMPLEMENTED: 12,
  UNAUTHENTICATED: 16,
} as const;

/** Looks, and changes nothing. */
export async function inspectNamespace(
  connection: Connection,
  namespace: string,
): Promise<NamespaceState> {
  let retention: number;
  try {
    const answer = await connection.workflowService.describeNamespace({ namespace });
    retention = Number(answer.config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  } catch (error) {
    if (!isCode(error, 'NOT_FOUND')) throw error;
    return { exists: false, retentionDays: 0, missing: Object.keys(searchAttributes) };
  }
  const known = await knownAttributes(connection, namespace);
  const missing = Object.entries(searchAttributes)
    .filter(([name, type]) => known[name] !== typeValues[type])
    .map(([name]) => name);
  return { exists: true, retentionDays: retention / DAY_SECONDS, missing };
}

/**
 * Registers the namespace and its search attributes where the server lets us, and says what is
 * left to do. `ours`: the server is our own, so a shorter retention is raised as well.
 */
export async function ensureNamespace(
  connection: Connection,
  namespace: string,
  options: { ours?: boolean } = {},
): Promise<NamespaceProblem[]> {
  const ttl = msToTs(`${RETENTION_DAYS} days`);
  // Registered before it is looked for: a server remembers for some seconds that it was not there.
  const registered = await allowed(() =>
    connection.workflowService.registerNamespace({
      namespace,
      description: 'Runs of Rewind',
      workflowExecutionRetentionPeriod: ttl,
    }),
  );
  let state = await inspectNamespace(connection, namespace);
  const deadline = Date.now() + PROPAGATION_MS;
  while (registered && !state.exists && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    state = await inspectNamespace(connection, namespace);
  }
  if (!state.exists) return problems(namespace, state);

  if (options.ours && state.retentionDays < RETENTION_DAYS) {
    await allowed(() =>
      connection.workflowService.updateNamespace({
        namespace,
        config: { workflowExecutionRetentionTtl: ttl },
      }),
    );
  }
  if (state.missing.length > 0) {
    await allowed(() =>
      connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(
          state.missing.map((name) => [name, typeValues[searchAttributes[name as AttributeName]]]),
        ),
      }),
    );
  }
  state = await inspectNamespace(connection, namespace);
  return problems(namespace, state);
}

/** What is wrong with a namespace, in words, with the command that mends it. */
export function problems(namespace: string, state: NamespaceState): NamespaceProblem[] {
  if (!state.exists) {
    return [
      {
        fatal: true,
        message: `The Temporal namespace "${namespace}" does not exist and could not be registered.`,
        command: `temporal operator namespace create --namespace ${namespace} --retention ${RETENTION_DAYS}d`,
      },
    ];
  }
  const found: NamespaceProblem[] = [];
  if (state.missing.length > 0) {
    const flags = state.missing.map((name) => {
      const type = typeNames[searchAttributes[name as AttributeName]];
      return `--name ${name} --type ${type}`;
    });
    found.push({
      fatal: true,
      message: `The Temporal namespace "${namespace}" lacks search attributes: ${state.missing.join(', ')}.`,
      command: `temporal operator search-attribute create --namespace ${namespace} ${flags.join(' ')}`,
    });
  }
  if (state.retentionDays < RETENTION_DAYS) {
    found.push({
      fatal: false,
      message:
        `The Temporal namespace "${namespace}" keeps ended runs for ${state.retentionDays} d, less than ` +
        `${RETENTION_DAYS} d: idempotency keys and ended runs are forgotten that early.`,
      command: `temporal operator namespace update --namespace ${namespace} --retention ${RETENTION_DAYS}d`,
    });
  }
  return found;
}

async function knownAttributes(
  connection: Connection,
  namespace: string,
): Promise<Record<string, number>> {
  try {
    const answer = await connection.operatorService.listSearchAttributes({ namespace });
    return answer.customAttributes ?? {};
  } catch (error) {
    // Temporal Cloud has no operator service; there the attributes are asked of the frontend.
    if (!isCode(error, ...withoutRights)) throw error;
    const answer = await connection.workflowService.getSearchAttributes({});
    return answer.keys ?? {};
  }
}

/** What a server refuses for want of rights, or has done already, shows in the inspection after it. */
async function allowed(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (isCode(error, 'ALREADY_EXISTS', ...withoutRights)) return false;
    throw error;
  }
}

const withoutRights = ['PERMISSION_DENIED', 'UNIMPLEMENTED', 'UNAUTHENTICATED'] as const;

function isCode(error: unknown, ...names: (keyof typeof codes)[]): boolean {
  return isGrpcServiceError(error) && names.some((name) => Number(error.code) === codes[name]);
}
