import { resolve } from 'node:path';
import { z } from 'zod';
import { embeddedRootKey, embeddedSealKeys } from './secrets';

/** Settings of the server, as `loadConfig` gives them. */
export interface Config {
  host: string;
  port: number;
  /** PostgreSQL; absent: PGlite, in the state folder. */
  databaseUrl?: string;
  /** Absolute path of what embedded parts keep: PGlite, Temporal's database, keys, logs. */
  stateDir: string;
  /** At least one; the first seals, all open. */
  sealKeys: string[];
  /** The first API key. Absent with PostgreSQL when none was set: then keys are those in the database. */
  rootKey?: string;
  /** True where the root key was made just now. */
  rootKeyIsNew: boolean;
  quotas: { runs: number; runsPerMinute?: number; workflows: number };
  /** True where Temporal's own environment says which server to use. */
  temporalGiven: boolean;
  /** Runs that the script worker keeps in memory; absent: by the memory there is. */
  maxCachedRuns?: number;
  /** How long a workflow task may take before another script worker gets it. */
  taskMs: number;
  /** What a process with a script worker may use; absent: a container's limit, else the machine's. */
  memoryBytes?: number;
  logLevel: (typeof logLevels)[number];
}

/** A setting that cannot be used. The message names the variable and what it must be. */
export class ConfigError extends Error {}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
const count = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.number().min(min).max(max));

const environment = z.object({
  REWIND_HOST: z.string().default('127.0.0.1'),
  REWIND_PORT: count(0, 65_535).default(7400),
  REWIND_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, { error: 'must begin with postgres:// or postgresql://' })
    .optional(),
  REWIND_SEAL_KEYS: z
    .string()
    .transform((text) => text.split(',').map((key) => key.trim()))
    .pipe(z.array(z.string().min(32, { error: 'each key must have at least 32 characters' })))
    .optional(),
  REWIND_ROOT_KEY: z
    .string()
    .regex(/^\S{20,200}$/, { error: 'must have 20 to 200 characters and no blanks' })
    .optional(),
  REWIND_QUOTA_RUNS: count(1).default(1000),
  REWIND_QUOTA_RUNS_PER_MINUTE: count(1).optional(),
  REWIND_QUOTA_WORKFLOWS: count(0).default(200),
  REWIND_MAX_CACHED_RUNS: count(0, 4000).optional(),
  REWIND_MEMORY_MIB: count(256).optional(),
  REWIND_TASK_SECONDS: count(2, 120).default(30),
  REWIND_LOG_LEVEL: z.enum(logLevels).default('info'),
});

/** Reads the settings; makes the secrets of an embedded system where they are not there yet. */
export function loadConfig(
  env: NodeJS.ProcessEnv = process.env,
  options: { stateDir?: string } = {},
): Config {
  // An empty variable is an unset one: that is how env files and containers clear them.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) throw new ConfigError(describe(parsed.error));
  const settings = parsed.data;
  const stateDir = resolve(options.stateDir ?? '.rewind');
  const embedded = settings.REWIND_DATABASE_URL === undefined;
  if (!embedded && settings.REWIND_SEAL_KEYS === undefined) {
    throw new ConfigError(
      'REWIND_SEAL_KEYS must be set together with REWIND_DATABASE_URL: every gateway needs the same keys. ' +
        'To make one: openssl rand -base64 32',
    );
  }
  const root = settings.REWIND_ROOT_KEY
    ? { key: settings.REWIND_ROOT_KEY, isNew: false }
    : embedded
      ? embeddedRootKey(stateDir)
      : undefined;
  return {
    host: settings.REWIND_HOST,
    port: settings.REWIND_PORT,
    ...(settings.REWIND_DATABASE_URL && { databaseUrl: settings.REWIND_DATABASE_URL }),
    stateDir,
    sealKeys: settings.REWIND_SEAL_KEYS ?? embeddedSealKeys(stateDir),
    ...(root && { rootKey: root.key }),
    rootKeyIsNew: root?.isNew ?? false,
    quotas: {
      runs: settings.REWIND_QUOTA_RUNS,
      ...(settings.REWIND_QUOTA_RUNS_PER_MINUTE !== undefined && {
        runsPerMinute: settings.REWIND_QUOTA_RUNS_PER_MINUTE,
      }),
      workflows: settings.REWIND_QUOTA_WORKFLOWS,
    },
    temporalGiven: ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'].some(
      (name) => given[name] !== undefined,
    ),
    ...(settings.REWIND_MAX_CACHED_RUNS !== undefined && {
      maxCachedRuns: settings.REWIND_MAX_CACHED_RUNS,
    }),
    ...(settings.REWIND_MEMORY_MIB !== undefined && {
      memoryBytes: settings.REWIND_MEMORY_MIB * 1024 * 1024,
    }),
    taskMs: settings.REWIND_TASK_SECONDS * 1000,
    logLevel: settings.REWIND_LOG_LEVEL,
  };
}

/** Names the variables and what they must be, never their values: some are secrets. */
function describe(error: z.ZodError): string {
  return error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`).join('\n');
}
