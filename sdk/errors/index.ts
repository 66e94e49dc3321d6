export {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  NamespaceRequiredError,
  NotFoundError,
  PermissionError,
  QuotaError,
  RateLimitError,
  RewindError,
  RunEndedError,
  ScriptRefusedError,
  ServerError,
  TooLargeError,
  type RewindErrorDetails,
} from './errors';
export { HostToolError, type HostToolErrorOptions } from './host-tool-error';
