import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createChecker, type CheckScope, type Checker } from '../check';
import { errorStatus, limits, operations } from '../sdk/protocol';
import { defaultLimits } from '../sandbox';
import manifest from '../package.json';
import sdkManifest from '../sdk/package.json';
import { blocksOf, markdownFiles, proseOf, type Block } from './support/markdown';
import { repositoryFiles, root, textOf } from './support/repository';
import { typeCheck } from './support/type-check';

/** Given to us, not written here: the code in it has to compile as it stands. */
const promised = 'test/documents/host-tools.md';
const ours = markdownFiles().filter((file) => !file.startsWith('test/'));

const isCode = ({ language }: Block) => language === 'ts' || language === 'typescript';
const isScript = ({ info }: Block) => /^(script$|In the script)/.test(info);

/** What the samples use and leave to the reader. */
const globals = `
import type { Rewind } from '@rewind.codes/sdk';
interface Customer { id: string; name: string }
declare global {
  const rewind: Rewind;
  const toolset: { id: string };
  const token: string;
  const crm: { find(user: string, email: string, options?: { signal: AbortSignal }): Promise<Customer | undefined> };
  const mail: { send(to: string, template: string, options: { key: string }): Promise<{ id: string }> };
  const inbox: { save(question: { user: string; question: string; token: string }): Promise<void> };
}
`;

function named(blocks: Block[]): Record<string, string> {
  return Object.fromEntries(
    // A block without imports is a module too: its names are its own.
    blocks.map((block) => [`${block.file}:${block.line}.mts`, `${block.code}\nexport {};\n`]),
  );
}

test('HT-09, HT-14: the samples of the document compile under strict against the SDK', () => {
  const samples = blocksOf(promised).filter((block) => isCode(block) && !isScript(block));
  expect(samples).toHaveLength(2);
  expect(typeCheck(named(samples), globals)).toEqual([]);
});

test('a sample that is wrong does not compile', () => {
  const wrong = 'import { Rewind } from "@rewind.codes/sdk"; new Rewind().worker({ tool: {} });';
  const undefinedName = 'export const a = nobody.defines(this);';
  const problems = typeCheck({ 'wrong.mts': wrong, 'name.mts': undefinedName }, globals);
  expect(problems).toEqual([
    expect.stringMatching(/^name\.mts:1: Cannot find name 'nobody'/),
    expect.stringMatching(/^wrong\.mts:1: [^]*'tool' does not exist in type 'WorkerOptions'/),
  ]);
});

test('the TypeScript in our documents compiles under strict against the SDK', () => {
  const blocks = ours
    .flatMap((file) => blocksOf(file))
    .filter((block) => isCode(block) && !isScript(block));
  expect(blocks.length).toBeGreaterThanOrEqual(4);
  expect(typeCheck(named(blocks), globals)).toEqual([]);
});

describe('scripts in documents', () => {
  let checker: Checker;
  beforeAll(() => {
    checker = createChecker({ threads: 1, timeoutMs: 60_000 });
  });
  afterAll(() => checker.close());

  const text = { type: 'string' };
  const object = (properties: Record<string, unknown>) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
  const scope: CheckScope = {
    id: 'ts_documents',
    tools: {
      'crm.find_customer': {
        description: 'Find a customer by email.',
        input: object({ email: text }),
        output: object({ id: text, name: text, email: text }),
      },
      ask_user: {
        description: 'Ask the end user.',
        input: object({ question: text }),
        output: object({ answer: text }),
      },
      'mail.send': {
        description: 'Send a mail.',
        input: object({ to: text, template: text }),
      },
    },
    workflows: [],
  };

  test('HT-46, HT-47: the script of the document type-checks as it stands', async () => {
    const [script, ...more] = blocksOf(promised).filter(isScript);
    expect(more).toEqual([]);
    // The document leaves open where the address comes from.
    const outcome = await checker.check(`const { email } = input;\n${script?.code}`, scope);
    expect(outcome).toMatchObject({ ok: true });
  });

  test('HT-47: without the narrowing of error.data it is refused', async () => {
    const code = blocksOf(promised).find(isScript)?.code ?? '';
    const careless = code.replace('(error.data as { code?: string })?.code', 'error.data.code');
    expect(careless).not.toBe(code);
    const outcome = await checker.check(`const { email } = input;\n${careless}`, scope);
    expect(outcome).toMatchObject({ ok: false, diagnostics: [{ code: 'TS18046', line: 7 }] });
  });

  test('the scripts in our documents type-check', async () => {
    const scripts = ours.flatMap((file) => blocksOf(file)).filter(isScript);
    expect(scripts.length).toBeGreaterThanOrEqual(4);
    const refused = [];
    for (const { file, line, code } of scripts) {
      const outcome = await checker.check(code, scope);
      if (!outcome.ok) refused.push({ file, line, diagnostics: outcome.diagnostics });
    }
    expect(refused).toEqual([]);
  });
});

test('the program that README shows is the one that examples/readme runs', () => {
  const [shown] = blocksOf('README.md').filter(isCode);
  expect(shown?.code).toBe(textOf('examples/readme/main.mts'));
});

test('links between our documents lead somewhere', () => {
  const broken = ours.flatMap((file) =>
    [
      ...proseOf(file)
        .replace(/`[^`\n]*`/g, '')
        .matchAll(/\]\((?!https?:|#)([^)#\s]+)/g),
    ]
      .map(([, link = '']) => posix.join(posix.dirname(file), link))
      .filter((target) => !existsSync(join(root, target)))
      .map((target) => `${file} links to ${target}`),
  );
  expect(broken).toEqual([]);
});

test('the commands that our documents show exist', () => {
  const scripts: Record<string, string> = manifest.scripts;
  const wrong: string[] = [];
  for (const file of ours.filter((name) => !name.startsWith('sdk/'))) {
    const text = textOf(file);
    for (const [, name = ''] of text.matchAll(/npm run ([a-z][\w:-]*)/g)) {
      if (!(name in scripts)) wrong.push(`${file}: npm run ${name}`);
    }
    for (const [, path = ''] of text.matchAll(/npx (?:tsx|jest) ([\w./-]+\.m?ts)/g)) {
      if (!existsSync(join(root, path))) wrong.push(`${file}: ${path}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('the files and folders that our documents name exist', () => {
  const files = repositoryFiles();
  const folders = files.flatMap((file) => {
    const parts = file.split('/').slice(0, -1);
    return parts.map((_, at) => `${parts.slice(0, at + 1).join('/')}/`);
  });
  const there = new Set([...files, ...folders]);
  const known = new Set(folders.filter((folder) => folder.split('/').length === 2));
  const missing = ours
    .filter((file) => !file.startsWith('sdk/') && !file.startsWith('examples/'))
    .flatMap((file) =>
      [...proseOf(file).matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)]
        .map(([, path = '']) => path)
        .filter((path) => known.has(`${path.split('/')[0]}/`))
        .filter((path) => !there.has(path) && !there.has(`${path}/`) && !there.has(`${path}.ts`))
        .map((path) => `${file}: ${path}`),
    );
  expect(missing).toEqual([]);
});

test('docs/http-api.md lists every operation with its right, and no other', () => {
  const listed = [
    ...textOf('docs/http-api.md').matchAll(/^\| `([A-Z]+ \/v1\/\S+)`\s*\| `(\w+)`/gm),
  ].map(([, operation, right]) => `${operation} ${right}`);
  const existing = Object.values(operations).map(
    ({ method, path, right }) => `${method.toUpperCase()} ${path} ${right}`,
  );
  expect(listed.sort()).toEqual(existing.sort());
});

test('docs/http-api.md lists every error code with its status, and no other', () => {
  const listed = [...textOf('docs/http-api.md').matchAll(/^\| (\d{3})\s*\| `(\w+)`/gm)].map(
    ([, status, code]) => [code, Number(status)],
  );
  expect(Object.fromEntries(listed)).toEqual(errorStatus);
});

test('docs/deployment.md lists every setting of the server, and no other', () => {
  const names = (text: string) => [...text.matchAll(/^\s*\|? ?`?(REWIND_[A-Z_]+)`?\s*[:|]/gm)];
  const listed = names(textOf('docs/deployment.md')).map(([, name]) => name);
  const existing = names(textOf('server/config.ts')).map(([, name]) => name);
  expect(existing.length).toBeGreaterThan(8);
  expect(listed.sort()).toEqual(existing.sort());
});

test('docs/deployment.md names every dynamic setting that the embedded server has and a cluster needs', () => {
  const [, list = ''] =
    /temporalSettings = \[([^\]]*)\]/.exec(textOf('server/temporal-server.ts')) ?? [];
  const settings = [...list.matchAll(/'([\w.]+)=([^']+)'/g)].map(
    ([, name, value]) => `\`${name}: ${value}\``,
  );
  expect(settings.length).toBeGreaterThan(2);
  const text = textOf('docs/deployment.md');
  expect(settings.filter((setting) => !text.includes(setting))).toEqual([]);
});

test('docs/deployment.md names every search attribute with its type', () => {
  const command = textOf('docs/deployment.md');
  const contract = textOf('workflows/contract.ts');
  const attributes = [...contract.matchAll(/^ {2}(Rewind\w+): '(KEYWORD(?:_LIST)?)'/gm)];
  expect(attributes.length).toBeGreaterThan(3);
  for (const [, name, type] of attributes) {
    expect(command).toContain(
      `--name ${name} --type ${type === 'KEYWORD' ? 'Keyword' : 'KeywordList'}`,
    );
  }
});

test('ARCHITECTURE.md states the limits that hold', () => {
  const KiB = 1024;
  const day = 86_400_000;
  const rows = [
    ['script', `${limits.scriptBytes / KiB} KiB`],
    [
      'input, arguments, result, deferred answer, output',
      `${limits.inputBytes / KiB ** 2} MiB each`,
    ],
    ['signal', `${limits.signalBytes / KiB} KiB`],
    [
      'error message; error `data`',
      `${limits.errorMessageBytes / KiB} KiB (cut); ${limits.errorDataBytes / KiB} KiB`,
    ],
    ['toolset', `${limits.toolsetBytes / KiB ** 2} MiB, 1,000 tools`],
    [
      'labels',
      `${limits.labels}; key ${limits.labelKeyLength}, value ${limits.labelValueLength} characters`,
    ],
    ['namespace; idempotency key', `${limits.namespaceLength} characters`],
    ['calls in flight of one run', '1,000; more wait inside it'],
    ['attempts of one call', String(limits.attempts)],
    ['log kept', `${limits.logBytes / KiB} KiB`],
    ['time to live; lease; `pollWait`', `1 s to ${limits.ttlMs / day} d; 1 s to 1 h; 2 s to 5 min`],
    ['sandbox: memory, stack', '64 MiB, 512 KiB'],
  ];
  const [, text = ''] = textOf('ARCHITECTURE.md').split('\n## Limits\n');
  const stated = rows.map(([what]) => {
    const row = text.split('\n').find((line) => line.startsWith(`| ${what} `));
    return [what, row?.split('|')[2]?.trim()];
  });
  expect(stated).toEqual(rows);
  // The values above that are written out.
  expect([limits.toolsetTools, limits.callsInFlight]).toEqual([1000, 1000]);
  expect([limits.leaseMinMs, limits.leaseMaxMs]).toEqual([1000, 3_600_000]);
  expect([limits.pollWaitMinMs, limits.pollWaitMaxMs]).toEqual([2000, 300_000]);
  expect(limits.inputBytes).toBe(limits.argumentsBytes);
  expect([limits.resultBytes, limits.outputBytes]).toEqual([limits.inputBytes, limits.inputBytes]);
  expect(limits.idempotencyKeyLength).toBe(limits.namespaceLength);
  expect([defaultLimits.heapBytes, defaultLimits.stackBytes]).toEqual([64 * KiB ** 2, 512 * KiB]);
});

test('README states the versions that are installed', () => {
  const text = textOf('README.md');
  const row = (part: string) => text.split('\n').find((line) => line.startsWith(`| ${part}`));
  expect(row('server')).toContain(manifest.version);
  expect(row('`@rewind.codes/sdk`')).toContain(sdkManifest.version);
  expect(row('Temporal')).toContain(`SDK ${manifest.dependencies['@temporalio/client']}`);
  expect(row('engine')).toContain(`\`quickjs-wasi\` ${manifest.dependencies['quickjs-wasi']}`);
  expect(textOf('CHANGELOG.md')).toContain('## Unreleased');
});
