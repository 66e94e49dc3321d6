/** What to do instead, for names that models often try. */
const hints: Record<string, string> = {
  fetch: 'scripts have no network. Call a tool instead.',
  XMLHttpRequest: 'scripts have no network. Call a tool instead.',
  setTimeout: 'scripts have no timers. Use await sleep("10s").',
  setInterval: 'scripts have no timers. Use a loop with await sleep("10s").',
  setImmediate: 'scripts have no timers. Use await sleep("10s").',
  require: 'scripts have no modules. Everything is in scope; tools do the rest.',
  process: 'scripts have no process. Pass what you need as input.',
  fs: 'scripts have no file system. Call a tool instead.',
  Buffer: 'scripts have no Buffer. Use strings, or Uint8Array.',
  crypto: 'scripts have no crypto. Call a tool instead; Math.random() gives random numbers.',
  eval: 'text cannot become code in scripts.',
  Function: 'text cannot become code in scripts.',
  BigInt: 'use numbers or strings.',
  Intl: 'scripts have no Intl. Format numbers and dates by hand; the time zone is UTC.',
  performance: 'use Date.now().',
  window: 'scripts run on a server, in a sandbox: there is no browser.',
  document: 'scripts run on a server, in a sandbox: there is no browser.',
  global: 'use globalThis.',
  atob: 'call a tool instead.',
  btoa: 'call a tool instead.',
  structuredClone: 'use JSON.parse(JSON.stringify(value)).',
  WeakRef: 'garbage collection cannot be seen in scripts.',
};

const rules: Record<string, string> = {
  RW1002: 'use numbers or strings.',
  RW1003: 'everything is in scope without an import; tools do the rest.',
  RW1005: 'remove the export; give the output by return.',
};

/** `name`: the name that the problem is about. */
export function hintFor(code: string, name: string | undefined): string | undefined {
  const named = name !== undefined && Object.hasOwn(hints, name) ? hints[name] : undefined;
  return rules[code] ?? named;
}
