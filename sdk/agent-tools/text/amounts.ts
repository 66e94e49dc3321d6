/** `1 call`, `3 calls`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** `0.4 s`, `48 s`, `2 min`, `2 h 4 min`, `7 d`. */
export function span(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return pair(hours, 'h', minutes % 60, 'min');
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** From one time to another, or until now. */
export function between(from: string, to?: string): string {
  const end = to === undefined ? Date.now() : Date.parse(to);
  const ms = end - Date.parse(from);
  return span(Number.isFinite(ms) ? ms : 0);
}

function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}

/** `(call #2, line 4)`. */
export function place(at: { seq?: number; line?: number | undefined }): string {
  const parts = [
    ...(at.seq === undefined ? [] : [`call #${at.seq}`]),
    ...(at.line === undefined ? [] : [`line ${at.line}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
