// Two kinds of tests share one transform. Integration tests share one Temporal server and one
// workflow bundle, made once; so do the tests with child processes.
const transform = {
  '^.+\\.[cm]?[jt]sx?$': [
    '@swc/jest',
    {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
      module: { type: 'commonjs' },
      sourceMaps: 'inline',
    },
  ],
};
const common = {
  transform,
  transformIgnorePatterns: ['/node_modules/(?!(quickjs-wasi|jose|tinypool|@electric-sql)/)'],
  moduleNameMapper: {
    '^@rewind\\.codes/sdk$': '<rootDir>/sdk/index.ts',
    '^@rewind\\.codes/sdk/protocol$': '<rootDir>/sdk/protocol/index.ts',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/sdk/dist', '<rootDir>/.rewind'],
  injectGlobals: false,
};

/** @type {import('jest').Config} */
module.exports = {
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/unit/**/*.test.ts', '<rootDir>/test/*.test.ts'],
    },
    {
      ...common,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/{integration,replay}/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/{e2e,package}/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
    // Minutes each: only when it is asked for, by `npm run test:load`.
    ...(process.env.REWIND_TEST_LOAD === 'on'
      ? [
          {
            ...common,
            displayName: 'load',
            testMatch: ['<rootDir>/test/load/**/*.test.ts'],
            globalSetup: '<rootDir>/test/support/global-setup.ts',
            globalTeardown: '<rootDir>/test/support/global-teardown.ts',
          },
        ]
      : []),
  ],
  maxWorkers: 1,
  // Temporal's native runtime keeps handles of its own, for seconds after its last user is gone.
  forceExit: true,
  testTimeout: 60_000,
};
