import type { Labels } from '../protocol/labels';
import { invalid } from './options';

/** Labels as a list is filtered by them: `key=value`, of which the first `=` divides. */
export function labelPairs(labels: Labels): string[] {
  return Object.entries(labels).map(([key, value]) => {
    if (key.includes('=')) throw invalid('labels', 'a key with "=" cannot be used to filter');
    return `${key}=${value}`;
  });
}
