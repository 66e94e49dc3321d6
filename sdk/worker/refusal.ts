import { AuthenticationError, PermissionError, type RewindError } from '../errors/errors';

/** 401 and 403: no repeat will help, the worker stops. */
export function isRefusal(error: unknown): error is RewindError {
  return AuthenticationError.isInstance(error) || PermissionError.isInstance(error);
}
