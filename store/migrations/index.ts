import { begin } from './0001-begin';
import type { Migration } from './migration';

/** All steps, in order. */
export const migrations: readonly Migration[] = [begin];
export type { Migration } from './migration';
