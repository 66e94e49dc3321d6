import { TooLargeError } from '../errors/errors';
import { JsonText, JsonTooLargeError, NotJsonError, writeJson } from '../json/write';
import { invalid } from './options';

/** A caller's value as JSON text, refused with its path before anything is sent. */
export function jsonArgument(value: unknown, name: string, limit: number): JsonText {
  try {
    return new JsonText(writeJson(value, name, limit));
  } catch (error) {
    if (error instanceof NotJsonError) throw invalid(name, error.message);
    if (error instanceof JsonTooLargeError) {
      throw new TooLargeError(error.message, { code: 'too_large', limit: error.limit });
    }
    throw error;
  }
}
