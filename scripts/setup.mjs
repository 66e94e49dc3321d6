#!/usr/bin/env node
// Makes a fresh clone ready: the npm packages, and a Temporal server to run on. Plain Node, since
// nothing is installed yet. Quick where there is nothing to do.
import { ensurePackages } from './setup/packages.mjs';
import { SetupError } from './setup/step.mjs';
import { ensureTemporal } from './setup/temporal.mjs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node ${process.versions.node} is too old: Rewind needs Node 20.19 or newer.`);
  process.exit(1);
}

try {
  await ensurePackages();
  await ensureTemporal();
} catch (error) {
  console.error(error instanceof SetupError ? `\n${error.message}\n` : error);
  process.exitCode = 1;
}
