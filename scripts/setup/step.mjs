import { spawn } from 'node:child_process';
import { setInterval, clearInterval } from 'node:timers';

/** A failure that is told as it stands, without a stack. */
export class SetupError extends Error {}

/** Runs one named step and says how long it takes: at once, every five seconds, and at the end. */
export async function step(name, action) {
  const start = Date.now();
  const seconds = () => `${((Date.now() - start) / 1000).toFixed(1)} s`;
  console.log(`${name}…`);
  const timer = setInterval(() => console.log(`  still at it, ${seconds()}`), 5_000);
  try {
    const result = await action();
    console.log(`  done, ${seconds()}`);
    return result;
  } catch (error) {
    console.log(`  failed, ${seconds()}`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Runs a program and gives its output; rejects with the end of that where it fails. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk) => (output = (output + chunk).slice(-20_000));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(output);
      else
        reject(new Error(output.trim().split('\n').slice(-15).join('\n') || `exit code ${code}`));
    });
  });
}
