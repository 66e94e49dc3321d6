import { begin } from './0001-begin';
import { values } from './0002-values';
import { drains } from './0003-drains';
import type { Migration } from './migration';

/** All steps, in order. */
export const migrations: readonly Migration[] = [begin, values, drains];
export type { Migration } from './migration';
