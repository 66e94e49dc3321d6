import { join, relative } from 'node:path';
import type { Config } from './config';
import { envFile } from './secrets';

/** What a newcomer needs: where it is, how to get in, what to type next. */
export function banner(config: Config, system: { url: string; uiUrl?: string }): string {
  const file = relative(process.cwd(), envFile(config.stateDir));
  const lines = ['', `Rewind runs at ${system.url}`];
  if (system.uiUrl) lines.push(`Temporal's web UI: ${system.uiUrl}`);
  lines.push('', 'In another terminal:', '');
  if (config.rootKeyIsNew) lines.push(`  export REWIND_API_KEY=${config.rootKey}`);
  else if (process.env['REWIND_ROOT_KEY']) lines.push('  export REWIND_API_KEY=$REWIND_ROOT_KEY');
  else if (config.rootKey !== undefined) lines.push(`  source ${file}`);
  if (system.url !== 'http://127.0.0.1:7400') lines.push(`  export REWIND_BASE_URL=${system.url}`);
  lines.push('  npx tsx examples/host-tools/main.ts', '');
  if (config.rootKeyIsNew)
    lines.push(`The key is kept in ${file}: later, "source ${file}" is enough.`);
  lines.push(`Logs: ${relative(process.cwd(), join(config.stateDir, 'rewind.log'))}`);
  lines.push('Ctrl-C stops it. Runs are kept and go on at the next start.');
  return lines.join('\n');
}
