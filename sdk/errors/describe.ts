/**
 * `Name: message` of whatever was thrown. Reading a thrown value runs code of its own (getters,
 * proxies), so nothing here may throw.
 */
export function describeThrown(thrown: unknown): string {
  try {
    if (typeof thrown === 'object' && thrown !== null) {
      const { name, message } = thrown as { name?: unknown; message?: unknown };
      if (typeof message === 'string') {
        return `${typeof name === 'string' && name !== '' ? name : 'Error'}: ${message}`;
      }
      return `Error: ${JSON.stringify(thrown) ?? Object.prototype.toString.call(thrown)}`;
    }
    return `Error: ${String(thrown)}`;
  } catch {
    return 'Error: something was thrown that cannot be read';
  }
}
