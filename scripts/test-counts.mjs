#!/usr/bin/env node
// Adds up the results that jest wrote with --json: `N passed, M failed`.
import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
  const results = JSON.parse(readFileSync(file, 'utf8'));
  passed += results.numPassedTests;
  // A file that could not even be loaded has no tests to count, but it is a failure.
  failed += results.numFailedTests + results.numRuntimeErrorTestSuites;
}
console.log(`${passed} passed, ${failed} failed`);
