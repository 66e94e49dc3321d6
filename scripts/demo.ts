import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../server/config';
import { createLogger } from '../server/logger';
import { progressLines } from '../server/progress';
import { startSystem } from '../server/system';

// Brings the whole system up in a folder of its own, runs examples/host-tools on it, and takes it
// down again.
async function demo(): Promise<number> {
  const stateDir = mkdtempSync(join(tmpdir(), 'rewind-demo-'));
  const logFile = join(stateDir, 'rewind.log');
  let code = 1;
  try {
    const env = { ...process.env, REWIND_DATABASE_URL: '', REWIND_PORT: '0' };
    const config = loadConfig(env, { stateDir });
    const system = await startSystem({
      config,
      logger: createLogger(config.logLevel, logFile),
      progress: progressLines(),
      cacheDir: '.rewind',
    });
    try {
      console.log(`\nRewind runs at ${system.url}. Now examples/host-tools on it:\n`);
      code = await example(system.url, config.rootKey ?? '');
    } finally {
      await system.close();
    }
  } catch (error) {
    console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (code !== 0) {
    console.error(`\nThe end of the server's log:\n${tail(logFile)}`);
    console.error(
      'What to do: "npm run rewind -- doctor" says what is missing on the Temporal server.',
    );
    console.error('With TEMPORAL_ADDRESS unset the demo starts one of its own.');
  } else {
    console.log('\nTo go on: "npm start" serves the same and keeps its state in .rewind/.');
  }
  rmSync(stateDir, { recursive: true, force: true });
  return code;
}

function example(url: string, apiKey: string): Promise<number> {
  const file = join(__dirname, '..', 'examples', 'host-tools', 'main.ts');
  const child = spawn(process.execPath, [...process.execArgv, file], {
    stdio: 'inherit',
    env: { ...process.env, REWIND_BASE_URL: url, REWIND_API_KEY: apiKey },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

function tail(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').slice(-20).join('\n');
  } catch {
    return '(none)';
  }
}

void demo().then((code) => {
  process.exitCode = code;
});
