import { calls } from './calls';
import { consoleSource } from './console';
import { errors } from './errors';
import { globals } from './globals';
import { json } from './json';
import { primordials } from './primordials';
import { random } from './random';
import { scopeSource } from './scope';

/** A function of the host's one function and of the scope; gives what the host calls. */
export const prelude = `(function (hostCall, scopeJson) {
'use strict';
const scope = JSON.parse(scopeJson);
${[primordials, globals, random, errors, consoleSource, json, calls, scopeSource].join('\n')}
})`;
