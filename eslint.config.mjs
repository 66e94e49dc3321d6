import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Import rules of ARCHITECTURE.md: who may import whom. test/layering.test.ts derives the same from the source. */
const forbid = (files, groups, message) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group: groups, message }] }] },
});

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '.rewind/**',
      'test/package/consumers/**',
      'coverage/**',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-console': 'error',
    },
  },
  {
    files: ['sdk/**/*.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'error' },
  },
  { files: ['server/**', 'examples/**', 'scripts/**', 'bench/**'], rules: { 'no-console': 'off' } },
  {
    // What came over the wire is looked at as it is; the matchers tell what it should be.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        module: 'writable',
        require: 'readonly',
        setTimeout: 'readonly',
        __dirname: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
      },
    },
  },
  forbid(
    ['sandbox/**'],
    ['../*', '!../sandbox/*', '@temporalio/*', 'node:*', 'express', 'zod'],
    'sandbox/ imports only quickjs-wasi.',
  ),
  forbid(
    ['workflows/**'],
    [
      '../gateway/*',
      '../gateway/**',
      '../server/**',
      '../store/**',
      '../check/**',
      'node:*',
      'express',
      '@temporalio/worker',
      '@temporalio/client',
    ],
    'workflows/ runs inside the workflow VM.',
  ),
  forbid(
    ['check/**'],
    [
      '../gateway/**',
      '../server/**',
      '../store/**',
      '../workflows/**',
      '../sandbox/**',
      '@temporalio/*',
      'express',
    ],
    'check/ knows neither Express nor Temporal.',
  ),
  forbid(
    ['store/**'],
    [
      '../gateway/**',
      '../server/**',
      '../workflows/**',
      '../sandbox/**',
      '../check/**',
      '@temporalio/*',
      'express',
    ],
    'store/ knows only the protocol.',
  ),
  forbid(
    ['activities/**'],
    ['../gateway/**', '../server/**', '../sandbox/**', '../check/**', 'express'],
    'activities/ stand between workflows/ and store/.',
  ),
  forbid(
    ['gateway/**'],
    [
      '../server/**',
      '../../server/**',
      '../sandbox/**',
      '../../sandbox/**',
      '../activities/**',
      '@temporalio/worker',
      '@temporalio/workflow',
    ],
    'gateway/ is a client of Temporal.',
  ),
  forbid(
    ['sdk/**'],
    [
      '../gateway/**',
      '../server/**',
      '../store/**',
      '../workflows/**',
      '../sandbox/**',
      '../check/**',
      '../activities/**',
      '@temporalio/*',
      'express',
      '@rewind.codes/*',
    ],
    'sdk/ depends on zod alone; use relative imports inside it.',
  ),
);
