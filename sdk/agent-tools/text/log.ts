import { utf8Bytes } from '../../protocol/json';
import { count } from './amounts';
import { quotedWithin } from './escape';
import { nextCall } from './values';

const LOG_BYTES = 8 * 1024;

/** The last lines of a log; nothing where nothing was logged. */
export function logLines(log: string | undefined, most: number, run: string | undefined): string[] {
  if (log === undefined) return ['Log: cannot be read now'];
  if (log === '' || most === 0) return [];
  const dropped = /^… (\d{1,9}) earlier lines were dropped\n/.exec(log);
  const kept = dropped ? log.slice(dropped[0].length) : log;
  const all = (kept.endsWith('\n') ? kept.slice(0, -1) : kept).split('\n');
  const total = all.length + Number(dropped?.[1] ?? 0);
  const shown = tail(all.slice(-most));
  const read =
    run === undefined ? '' : `. All: ${nextCall('get_run', { run_id: run, part: 'log' })}`;
  const head =
    shown.length === total
      ? `Log (${count(total, 'line')}):`
      : `Log (last ${shown.length} of ${total} lines)${read}`;
  return [head, ...shown.flat()];
}

/** As many of the last lines as fit, as they are shown. */
function tail(lines: string[]): string[][] {
  const shown: string[][] = [];
  let left = LOG_BYTES;
  for (const line of lines.reverse()) {
    const rows = quotedWithin(line, LOG_BYTES / 2);
    left -= utf8Bytes(rows.join('\n')) + 1;
    if (left < 0) break;
    shown.unshift(rows);
  }
  return shown;
}
