import { Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** What operators see at `/metrics`. */
export interface Metrics {
  registry: Registry;
  /** Seconds from a request's first byte to the end of its answer. */
  request(operation: string, status: number, seconds: number): void;
  /** A claim begins to wait; the function that comes back tells its end. */
  claimWaits(): () => void;
}

/** A registry of its own, so that several gateways may live in one process. */
export function createMetrics({ process = true }: { process?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (process) collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'rewind_http_request_duration_seconds',
    help: 'Duration of HTTP requests; claims and reads that wait are long on purpose.',
    labelNames: ['operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30, 60],
    registers: [registry],
  });
  const claims = new Gauge({
    name: 'rewind_claims_waiting',
    help: 'Claims of workers that wait for a task at this gateway.',
    registers: [registry],
  });
  return {
    registry,
    request: (operation, status, seconds) => {
      requests.observe({ operation, status: String(status) }, seconds);
    },
    claimWaits: () => {
      claims.inc();
      return () => claims.dec();
    },
  };
}
