// Threads inherit no loader: where only the TypeScript source is there, this brings one.
require('tsx/cjs');

module.exports = require('./check-thread.ts');
