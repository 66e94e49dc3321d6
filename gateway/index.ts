/**
 * The HTTP API: who may do what, with which data. What is done is up to the engine, the checker and
 * the store behind it.
 *
 * @module
 */
export { createApp, type AppParts } from './app';
export { createHttpServer, type ServerTimeouts } from './http-server';
export { createMetrics, type Metrics } from './metrics';
export { ensureRootKey } from './root-key';
export { createSealer, type Sealer } from './sealer';
