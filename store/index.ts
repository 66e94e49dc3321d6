/**
 * Toolsets, keys and the directory of live workers, over PostgreSQL or an embedded PGlite.
 *
 * @module
 */
export { openStore, type StoreOptions } from './store';
export { FolderInUseError, InvalidCursorError, isUnreachable } from './errors';
