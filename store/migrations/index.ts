import { begin } from './0001-begin';
import { values } from './0002-values';
import type { Migration } from './migration';

/** All steps, in order. */
export const migrations: readonly Migration[] = [begin, values];
export type { Migration } from './migration';
