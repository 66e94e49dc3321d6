import { ServiceError, isGrpcServiceError } from '@temporalio/client';
import { unavailable } from '../errors';

/** gRPC codes that we meet (https://grpc.io/docs/guides/status-codes/). */
const code = {
  cancelled: 1,
  deadlineExceeded: 4,
  notFound: 5,
  exhausted: 8,
  unavailable: 14,
};

/** The gRPC code of what Temporal's client threw, which may be wrapped. */
function grpcCode(error: unknown): number | undefined {
  if (isGrpcServiceError(error)) return error.code;
  return error instanceof ServiceError ? grpcCode(error.cause) : undefined;
}

export function isNotFound(error: unknown): boolean {
  return (
    grpcCode(error) === code.notFound ||
    (error instanceof Error && error.name === 'WorkflowNotFoundError')
  );
}

/** No answer in time, or none at all: nothing is known of what the call did. */
export function isUnreachable(error: unknown): boolean {
  const found = grpcCode(error);
  return (
    found === code.cancelled ||
    found === code.deadlineExceeded ||
    found === code.exhausted ||
    found === code.unavailable
  );
}

/** Gives `onNotFound`'s error for what Temporal does not know, and 503 where it does not answer. */
export async function guard<T>(call: Promise<T>, onNotFound: () => Error): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) throw onNotFound();
    if (isUnreachable(error)) throw unavailable(undefined, { cause: error });
    throw error;
  }
}
