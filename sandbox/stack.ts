import type { Position } from './types';

/** Name of the script in the guest's stack traces. */
export const SCRIPT_FILE = 'script.js';
/** Stands before the program on its first line. */
export const PROGRAM_PREFIX = '(function (exports, require) { ';

/** Frames that are kept of one error. */
const FRAMES = 20;

/** Places of the program in a stack text, innermost first. Whatever else the text says stays out. */
export function framesOf(stack: unknown): Position[] {
  if (typeof stack !== 'string') return [];
  const frames: Position[] = [];
  for (const match of stack.matchAll(/script\.js:(\d{1,7}):(\d{1,7})/g)) {
    const line = Number(match[1]);
    const shift = line === 1 ? PROGRAM_PREFIX.length : 0;
    const column = Number(match[2]) - shift;
    if (line >= 1 && column >= 1) frames.push({ line, column });
    if (frames.length === FRAMES) break;
  }
  return frames;
}
