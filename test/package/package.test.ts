import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startRewind, type TestRewind } from '../support/rewind';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');
const bin = (...path: string[]): string => join(root, 'node_modules', ...path);

let project: string;
let gateway: TestRewind;

/** Runs a program in the consumer's project; it has to end by itself. */
async function node(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, args, {
    cwd: project,
    timeout: 60_000,
    env: {
      PATH: process.env['PATH'],
      REWIND_API_KEY: gateway.apiKey,
      REWIND_BASE_URL: gateway.url,
    },
  }).catch((error: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

// One project with nothing installed but the tarball and zod; each program in it is a consumer.
beforeAll(async () => {
  gateway = await startRewind();
  project = await mkdtemp(join(tmpdir(), 'rewind-package-'));
  await run('npm', ['run', 'build', '-w', 'sdk'], { cwd: root });
  const packed = await run('npm', ['pack', '--json', '--pack-destination', project], {
    cwd: join(root, 'sdk'),
  });
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  await cp(join(__dirname, 'consumers'), project, { recursive: true });
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true }));
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...flags, `./${filename}`], { cwd: project });
}, 180_000);

afterAll(async () => {
  await gateway?.stop();
  await rm(project, { recursive: true, force: true });
});

describe('the packed SDK in a fresh project', () => {
  test('FC-46: brings zod and nothing else', async () => {
    const installed = await readdir(join(project, 'node_modules'));
    expect(installed.filter((name) => !name.startsWith('.')).sort()).toEqual([
      '@rewind.codes',
      'zod',
    ]);
  });

  test('FC-46: CommonJS requires it and runs a worker', async () => {
    expect(await node('commonjs.cjs')).toBe('true hello Ada, commonjs\n');
  });

  test('FC-46, HT-09: ES modules import it by name and run a worker', async () => {
    expect(await node('esm.mjs')).toBe('true hello Ada, esm\n');
  });

  test('FC-46: tsx runs it', async () => {
    const loader = `file://${bin('tsx', 'dist', 'loader.mjs')}`;
    expect(await node('--import', loader, 'tsx.ts')).toBe('true hello Ada, tsx\n');
  });

  test('FC-46: jest runs it', async () => {
    const config = JSON.stringify({ rootDir: join(project, 'jest'), transform: {} });
    await node(bin('jest', 'bin', 'jest.js'), '--config', config, '--watchman=false', '--no-cache');
  });

  test('FC-46, HT-14: TypeScript nodenext strict compiles the samples of the documents, and what it emits runs', async () => {
    const typed = join(project, 'typed');
    await mkdir(join(typed, 'documents'), { recursive: true });
    const samples = await documentSamples();
    await writeFile(join(typed, 'documents', 'worker.mts'), samples.worker);
    await writeFile(join(typed, 'documents', 'deferred.mts'), samples.deferred);
    await compile(typed, {
      include: ['first-afternoon.mts', 'documents'],
      types: ['node'],
      typeRoots: [bin('@types')],
    });
    expect(await node('typed/first-afternoon.mjs')).toBe('true hello Ada, typed\n');
  }, 120_000);

  test('FC-46: its types need nothing but zod', async () => {
    await compile(join(project, 'typed'), { include: ['without-node-types.mts'], types: [] });
  }, 120_000);
});

/** Strict, and the declarations of the packages are checked too. */
async function compile(
  folder: string,
  { include, ...options }: { include: string[]; types: string[]; typeRoots?: string[] },
): Promise<void> {
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    ...options,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  await node(bin('typescript', 'bin', 'tsc'), '--project', folder);
}

/** The page's two programs, with declarations of what they take from the reader's own code. */
async function documentSamples(): Promise<{ worker: string; deferred: string }> {
  const page = await readFile(join(root, 'test', 'documents', 'host-tools.md'), 'utf8');
  const blocks = [...page.matchAll(/^```ts theme=\{null\}\n(.*?)^```$/gms)].map(([, code]) => code);
  const [worker, deferred] = blocks;
  if (blocks.length !== 2 || worker === undefined || deferred === undefined) {
    throw new Error('the page has other samples than this test knows');
  }
  return {
    worker: `${worker}
      declare const toolset: { id: string };
      declare const crm: {
        find(user: string, email: string, options: { signal: AbortSignal }): Promise<object | undefined>;
      };`,
    deferred: `import { Rewind } from '@rewind.codes/sdk';
      const rewind = new Rewind();
      ${deferred}
      declare const token: string;
      declare const toolset: { id: string };
      declare const inbox: {
        save(entry: { user: string; question: string; token: string }): Promise<void>;
      };`,
  };
}
