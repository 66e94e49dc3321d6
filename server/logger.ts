import pino, { type Logger } from 'pino';
import type { Config } from './config';

/** Structured logs: to a file, or to standard output. What can hold a secret is blotted out. */
export function createLogger(level: Config['logLevel'], file?: string): Logger {
  const redact = {
    paths: ['req.headers', 'token', 'apiKey', 'key', '*.token', '*.apiKey', '*.authorization'],
    censor: '[redacted]',
  };
  return file === undefined
    ? pino({ level, redact })
    : pino({ level, redact }, pino.destination({ dest: file, mkdir: true, sync: true }));
}
