import { limits } from '../sdk/protocol';
import { scopeNames } from './ambient';
import type { ToolProblem } from './types';

/** Names that the language or the sandbox gives a meaning of their own, in any segment. */
const reservedSegments = new Set([
  'then',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
]);

/** Names that a script finds in its scope: a tool may not take the first segment from it. */
const reservedRoots = new Set<string>([
  ...scopeNames,
  ...Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]/.test(name)),
  ...[
    'globalThis',
    'undefined',
    'NaN',
    'Infinity',
    'eval',
    'arguments',
    'exports',
    'require',
    'module',
  ],
  ...['parseInt', 'parseFloat', 'isNaN', 'isFinite', 'escape', 'unescape'],
  ...['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent'],
]);

/** Whether a script can write the name as it is, such as `crm.delete`; else it is `tools["…"]`. */
export function isReachable(name: string): boolean {
  const segments = name.split('.');
  return (
    segments.every((segment) => /^[A-Za-z_$][\w$]*$/.test(segment)) &&
    !keywords.has(segments[0] ?? '')
  );
}

/** Words that JavaScript lets nobody declare, in strict code. */
const keywords = new Set(
  (
    'break case catch class const continue debugger default delete do else enum export extends false ' +
    'finally for function if implements import in instanceof interface let new null package private ' +
    'protected public return static super switch this throw true try typeof var void while with yield await'
  ).split(' '),
);

/** What is wrong with the names of a toolset, tool by tool. */
export function nameProblems(names: string[]): ToolProblem[] {
  const all = new Set(names);
  return names.flatMap((name) => {
    const message = problemOf(name, all);
    return message === undefined ? [] : [{ tool: name, message }];
  });
}

function problemOf(name: string, all: Set<string>): string | undefined {
  if (name.length > limits.toolNameLength) {
    return `the name is longer than ${limits.toolNameLength} characters`;
  }
  const segments = name.split('.');
  if (!segments.every((segment) => /^[A-Za-z0-9_-]+$/.test(segment))) {
    return 'the name must be segments of A-Z, a-z, 0-9, _ and -, divided by dots';
  }
  const reserved = segments.find((segment) => reservedSegments.has(segment));
  if (reserved !== undefined) return `"${reserved}" is reserved`;
  if (reservedRoots.has(segments[0] ?? ''))
    return `"${segments[0]}" is reserved: scripts have it already`;
  for (let length = 1; length < segments.length; length += 1) {
    const above = segments.slice(0, length).join('.');
    if (all.has(above))
      return `it collides with the tool "${above}": one name cannot be both a tool and a group`;
  }
  return undefined;
}
