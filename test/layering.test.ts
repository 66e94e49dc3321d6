import { posix } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { repositoryFiles, textOf } from './support/repository';

// The rules of ARCHITECTURE.md, "Who may import whom", from the source text itself: a comment that
// disables lint does not disable these.

interface Rule {
  /** Files of the repository: a folder with a slash at its end, or one file without its extension. */
  files: string[];
  /** Packages, by name; `node:` is all of Node's own modules. */
  packages: string[];
}

const rules: Record<string, Rule> = {
  'sandbox/': { files: ['sandbox/'], packages: ['quickjs-wasi'] },
  'workflows/': {
    files: ['workflows/', 'sandbox/', 'sdk/protocol/', 'activities/'],
    packages: [
      '@temporalio/workflow',
      '@temporalio/common',
      '@cfworker/json-schema',
      '@jridgewell/trace-mapping',
      'quickjs-wasi',
    ],
  },
  'activities/': {
    files: ['activities/', 'store/', 'workflows/contract', 'sdk/protocol/'],
    packages: ['@temporalio/activity', '@temporalio/common'],
  },
  'check/': {
    files: ['check/', 'sdk/protocol/'],
    packages: [
      'node:',
      'typescript',
      '@babel/code-frame',
      '@cfworker/json-schema',
      '@jridgewell/sourcemap-codec',
      '@jridgewell/trace-mapping',
      'tinypool',
      // Starts the check threads where only the source is there.
      'tsx',
    ],
  },
  'store/': {
    files: ['store/', 'sdk/protocol/'],
    packages: ['node:', 'kysely', 'pg', '@electric-sql/pglite'],
  },
  'gateway/temporal/': {
    files: [
      'gateway/',
      'store/',
      'check/code-frame',
      'sdk/protocol/',
      'workflows/contract',
      'workflows/outcome',
    ],
    packages: ['node:', '@temporalio/client', '@temporalio/common', '@temporalio/proto', 'pino'],
  },
  'gateway/': {
    files: ['gateway/', 'store/', 'check/', 'sdk/protocol/', 'sdk/version'],
    packages: ['node:', 'express', 'helmet', 'jose', 'pino', 'prom-client', 'zod'],
  },
  'sdk/protocol/': { files: ['sdk/protocol/'], packages: ['zod'] },
  'sdk/': { files: ['sdk/'], packages: ['zod'] },
  'examples/': { files: ['examples/'], packages: ['node:', '@rewind.codes/sdk', 'zod'] },
  // Agents are programs of a model's provider first.
  'examples/agent/': {
    files: ['examples/'],
    packages: [
      '@anthropic-ai/sdk',
      '@modelcontextprotocol/sdk',
      '@rewind.codes/sdk',
      'openai',
      'zod',
    ],
  },
};

/** Folders that may import everything: the composition root, and what only developers run. */
const free = ['server/', 'scripts/', 'test/', 'bench/', 'types/'];

const sources = repositoryFiles().filter((file) => /\.[cm]?[jt]s$/.test(file));
const inProject = sources.filter((file) => file.includes('/'));

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, textOf(file), ts.ScriptTarget.ES2023, true);
}

interface Import {
  from: string;
  what: string;
  types: boolean;
  names: string[];
}

/** Every import of a file, of types too; `require` and `import()` count, whatever they are used for. */
function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const add = (what: ts.Expression | undefined, types: boolean, names: string[]) => {
    const text = what && ts.isStringLiteralLike(what) ? what.text : '(not a literal)';
    found.push({ from: file, what: text, types, names });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const clause = node.importClause;
      const bindings = clause?.namedBindings;
      const elements = bindings && ts.isNamedImports(bindings) ? [...bindings.elements] : [];
      const whole = clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      const values = elements.filter((element) => !element.isTypeOnly);
      const types = whole || (elements.length > 0 && values.length === 0 && !clause?.name);
      const others = clause?.name || (bindings && !ts.isNamedImports(bindings)) ? ['*'] : [];
      add(node.moduleSpecifier, types, [
        ...others,
        ...values.map(({ propertyName, name }) => (propertyName ?? name).text),
      ]);
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      add(node.moduleSpecifier, node.isTypeOnly, ['*']);
    } else if (ts.isCallExpression(node)) {
      const callee = node.expression;
      const loads =
        callee.kind === ts.SyntaxKind.ImportKeyword ||
        (ts.isIdentifier(callee) && callee.text === 'require') ||
        (ts.isPropertyAccessExpression(callee) && callee.getText() === 'require.resolve');
      if (loads) add(node.arguments[0], false, ['*']);
    } else if (ts.isImportTypeNode(node)) {
      const literal = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
      add(literal && ts.isStringLiteral(literal) ? literal : undefined, true, []);
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return found;
}

function ruleOf(file: string): [string, Rule] | undefined {
  return Object.entries(rules)
    .filter(([folder]) => file.startsWith(folder))
    .sort(([a], [b]) => b.length - a.length)[0];
}

/** A file of the repository without its extension (a folder's index as `folder/`), or a package. */
function targetOf({ from, what }: Import): { file: string } | { package: string } {
  if (!what.startsWith('.')) {
    const [first = '', second = ''] = what.split('/');
    if (what.startsWith('node:')) return { package: 'node:' };
    return { package: what.startsWith('@') ? `${first}/${second}` : first };
  }
  const path = posix.join(posix.dirname(from), what).replace(/\/$/, '');
  const isFolder = sources.some((file) => file.startsWith(`${path}/`) && !isFile(path));
  return { file: isFolder ? `${path}/` : path.replace(/\.[cm]?[jt]s$/, '') };
}

function isFile(path: string): boolean {
  return sources.some((file) => file === path || file.replace(/\.[cm]?[jt]s$/, '') === path);
}

function allowed(rule: Rule, imported: Import): boolean {
  const target = targetOf(imported);
  if ('package' in target) return rule.packages.includes(target.package);
  return rule.files.some((file) =>
    file.endsWith('/') ? target.file.startsWith(file) : target.file === file,
  );
}

test('every folder imports only what its rule allows', () => {
  const broken = inProject
    .flatMap((file) => importsOf(file))
    .filter((imported) => {
      const rule = ruleOf(imported.from);
      return rule !== undefined && !allowed(rule[1], imported);
    })
    .map(({ from, what }) => `${from} imports ${what}`);
  expect(broken).toEqual([]);
});

test('every source file is in a folder that has a rule', () => {
  const homeless = inProject.filter(
    (file) => !ruleOf(file) && !free.some((folder) => file.startsWith(folder)),
  );
  expect(homeless).toEqual([]);
});

test('the rules see an import that they forbid, however it is written', () => {
  const sandbox: Rule = { files: ['sandbox/'], packages: ['quickjs-wasi'] };
  const from = 'sandbox/sandbox.ts';
  const as = (what: string): Import => ({ from, what, types: false, names: [] });
  const verdicts = [
    './limits',
    'quickjs-wasi',
    'quickjs-wasi/x',
    '../workflows/guest',
    'node:fs',
    'fs',
    '..',
  ];
  expect(verdicts.map((what) => allowed(sandbox, as(what)))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

/** Files that reach into Node itself, which `--expose-internals` lets them. */
const nodeInternals = ['server/thread-guard.cjs'];

test('what runs in production imports only packages that its manifest names', () => {
  const { dependencies: server = {} } = JSON.parse(textOf('package.json')) as Manifest;
  const { dependencies: client = {} } = JSON.parse(textOf('sdk/package.json')) as Manifest;
  const undeclared = inProject
    .filter((file) => !/^(test|scripts|bench|examples|types)\//.test(file))
    .flatMap((file) => importsOf(file))
    .filter((imported) => {
      const target = targetOf(imported);
      if (!('package' in target) || target.package === 'node:') return false;
      if (target.package === 'internal') return !nodeInternals.includes(imported.from);
      return !Object.hasOwn(imported.from.startsWith('sdk/') ? client : server, target.package);
    })
    .map(({ from, what }) => `${from} imports ${what}`);
  expect(undeclared).toEqual([]);
});

test('workflows take from activities nothing but types', () => {
  const values = sources
    .filter((file) => file.startsWith('workflows/'))
    .flatMap((file) => importsOf(file))
    .filter((imported) => {
      const target = targetOf(imported);
      return 'file' in target && target.file.startsWith('activities/') && !imported.types;
    });
  expect(values).toEqual([]);
});

test('the contract between gateway and workflows imports only types and define functions', () => {
  const values = importsOf('workflows/contract.ts').flatMap(({ what, types, names }) =>
    types ? [] : names.map((name) => `${what}: ${name}`),
  );
  expect(values.filter((name) => !/: define[A-Z]\w+$/.test(name))).toEqual([]);
});

test('nothing of the gateway loads the native Temporal worker', () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const follow = (file: string): void => {
    if (seen.has(file) || !sources.includes(file)) return;
    seen.add(file);
    for (const imported of importsOf(file)) {
      if (imported.types) continue;
      const target = targetOf(imported);
      if ('package' in target) packages.add(target.package);
      else follow(target.file.endsWith('/') ? `${target.file}index.ts` : `${target.file}.ts`);
    }
  };
  sources.filter((file) => file.startsWith('gateway/')).forEach(follow);
  expect([...packages]).not.toContain('@temporalio/worker');
  expect([...packages]).not.toContain('@temporalio/core-bridge');
});

test('no source file is longer than 500 lines', () => {
  const long = inProject
    .map((file) => ({ file, lines: textOf(file).split('\n').length - 1 }))
    .filter(({ lines }) => lines > 500);
  expect(long).toEqual([]);
});

test('source files and folders have kebab-case names', () => {
  const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;
  const wrong = inProject.filter(
    (file) =>
      !file
        .replace(/(\.(test|config|build|d))*\.[cm]?[jt]s$/, '')
        .split('/')
        .every((part) => kebab.test(part)),
  );
  expect(wrong).toEqual([]);
});

/**
 * Runs share one V8 context, so a variable of a module is shared by all of them. What a module may
 * keep for longer than one run is listed here, as `file: name`.
 */
const sharedState: string[] = [];

test('modules of workflows/ and sandbox/ keep no state that one run could leave to another', () => {
  const found = sources
    .filter((file) => /^(workflows|sandbox)\//.test(file))
    .flatMap((file) => mutableState(parse(file)).map((name) => `${file}: ${name}`))
    .filter((name) => !sharedState.includes(name));
  expect(found).toEqual([]);
});

test('the search for state sees all the ways to keep it', () => {
  const file = (text: string) => ts.createSourceFile('x.ts', text, ts.ScriptTarget.ES2023, true);
  const kept = [
    'let a = 1;',
    'var a = 1;',
    'export const a = new Map<string, number>();',
    'const a: Set<string> = new Set();',
    'const a = [1];',
    'const a: string[] = [];',
    'const a = {};',
    'class A { static b = 1; }',
  ];
  const fine = [
    'const a = 1;',
    'const a = [1] as const;',
    'const a: readonly number[] = [1];',
    'const a = { b: 1 };',
    'const a = () => { let b = 1; return new Map([[b, b]]); };',
    'class A { static readonly b = 1; private c = new Map(); }',
  ];
  expect(kept.map((text) => mutableState(file(text)).length)).toEqual(kept.map(() => 1));
  expect(fine.flatMap((text) => mutableState(file(text)))).toEqual([]);
});

function mutableState(source: ts.SourceFile): string[] {
  const found: string[] = [];
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) {
      const { declarationList } = statement;
      const constant = (declarationList.flags & ts.NodeFlags.Const) !== 0;
      for (const declaration of declarationList.declarations) {
        if (!constant || isMutable(declaration)) found.push(declaration.name.getText(source));
      }
    }
    if (ts.isClassDeclaration(statement)) {
      for (const member of statement.members) {
        const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : [];
        const kinds = modifiers.map(({ kind }) => kind);
        if (
          ts.isPropertyDeclaration(member) &&
          kinds.includes(ts.SyntaxKind.StaticKeyword) &&
          !kinds.includes(ts.SyntaxKind.ReadonlyKeyword)
        ) {
          found.push(member.name.getText(source));
        }
      }
    }
  }
  return found;
}

function isMutable({ type, initializer }: ts.VariableDeclaration): boolean {
  if (!initializer) return true;
  if (ts.isNewExpression(initializer)) {
    return /^(Weak)?(Map|Set)$|Array$/.test(initializer.expression.getText());
  }
  if (ts.isArrayLiteralExpression(initializer)) {
    return !(type && /^readonly |^Readonly/.test(type.getText()));
  }
  // An empty object is there to be filled.
  return ts.isObjectLiteralExpression(initializer) && initializer.properties.length === 0;
}

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

function manifest(file: string): Record<string, string> {
  const { dependencies, devDependencies } = JSON.parse(textOf(file)) as Manifest;
  return { ...devDependencies, ...dependencies };
}

test('all packages of Temporal have one exact version, installed once', () => {
  const wanted = Object.entries(manifest('package.json')).filter(([name]) =>
    name.startsWith('@temporalio/'),
  );
  expect(wanted.length).toBeGreaterThan(5);
  expect(new Set(wanted.map(([, version]) => version)).size).toBe(1);
  expect(wanted[0]?.[1]).toMatch(/^\d+\.\d+\.\d+$/);
  const lock = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { version?: string }>;
  };
  const installed = Object.entries(lock.packages)
    .filter(([path]) => /(^|\/)node_modules\/@temporalio\/(?!ui)[^/]+$/.test(path))
    .map(([path, { version }]) => ({ path, version }));
  expect(installed.filter(({ version }) => version !== wanted[0]?.[1])).toEqual([]);
});

test('the engine of the sandbox is pinned, and runs carry its version', () => {
  const version = manifest('package.json')['quickjs-wasi'];
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(textOf('workflows/contract.ts')).toContain(`ENGINE = 'qjs-${version}/`);
});

test('the SDK depends on zod alone', () => {
  const sdk = JSON.parse(textOf('sdk/package.json')) as Manifest & Record<string, unknown>;
  expect(Object.keys(sdk.dependencies ?? {})).toEqual(['zod']);
  expect(sdk['peerDependencies']).toBeUndefined();
  expect(sdk['optionalDependencies']).toBeUndefined();
});

test('the lock file names no registry', () => {
  const hosts = [...textOf('package-lock.json').matchAll(/"resolved": "(?:\w+:)?\/\/([^/"]+)/g)];
  expect(new Set(hosts.map(([, host]) => host))).toEqual(new Set());
});

test('no file of the repository holds a path of somebody’s machine', () => {
  const places = ['home', 'Users', 'root', 'work', 'workspace'].join('|');
  const absolute = new RegExp(`(?:^|[\\s"'\`(=:])/(?:${places})/[\\w.-]`, 'm');
  const found = repositoryFiles('tracked')
    .filter((file) => !/\.(png|wasm)$/.test(file))
    .filter((file) => absolute.test(textOf(file)));
  expect(found).toEqual([]);
});
