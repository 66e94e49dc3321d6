import { readFileSync } from 'node:fs';

/** Resident memory of a process, in MiB, as Linux counts it. */
export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kiB] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return Math.round(Number(kiB) / 1024);
}

/** Looks ten times a second how much a process uses. */
export function watchMemory(pid: number): { most(): number; stop(): void } {
  let most = residentMiB(pid);
  const timer = setInterval(() => {
    try {
      most = Math.max(most, residentMiB(pid));
    } catch {
      // The process is gone; whoever watches it sees that by other means.
      clearInterval(timer);
    }
  }, 100);
  return { most: () => most, stop: () => clearInterval(timer) };
}
