// Checks the SDK as it would be published: its files, its exports and types, and the pinned versions.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sdk = join(root, 'sdk');
const SIZE_LIMIT = 300 * 1024;
const problems = [];

const run = (command, args, cwd = root) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const tool = (name, ...args) => {
  try {
    console.log(run(join(root, 'node_modules', '.bin', name), args));
  } catch (error) {
    problems.push(`${name} found problems:\n${error.stdout}`);
  }
};
const manifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Each source file gives its JavaScript and its declarations; nothing else is published. */
function expectedFiles() {
  const sources = readdirSync(sdk, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(sdk, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/^(dist|node_modules)\//.test(path));
  const built = sources.flatMap((path) => {
    const stem = `dist/${path.slice(0, -'.ts'.length)}`;
    return [`${stem}.js`, `${stem}.d.ts`];
  });
  return ['LICENSE', 'README.md', 'package.json', ...built];
}

function checkFiles({ files, size }) {
  const packed = new Set(files.map(({ path }) => path));
  const expected = new Set(expectedFiles());
  for (const path of packed) if (!expected.has(path)) problems.push(`${path} must not be packed`);
  for (const path of expected) if (!packed.has(path)) problems.push(`${path} is not packed`);
  if (size > SIZE_LIMIT) problems.push(`the tarball has ${size} bytes, over ${SIZE_LIMIT}`);
}

/** What the engine's histories and the types rest on must not change by itself. */
function checkPins() {
  const own = manifest(root);
  const published = manifest(sdk);
  const all = { ...own.dependencies, ...own.devDependencies };
  for (const [name, version] of Object.entries({ ...all, ...published.dependencies })) {
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      problems.push(`${name} ${version} is no exact version`);
  }
  const temporal = Object.entries(all).filter(([name]) => name.startsWith('@temporalio/'));
  if (new Set(temporal.map(([, version]) => version)).size > 1) {
    problems.push('the @temporalio packages must have one version');
  }
  if (Object.keys(published.dependencies).join() !== 'zod')
    problems.push('the SDK depends on zod alone');
  if (published.dependencies.zod !== all.zod)
    problems.push('the SDK and the server use two versions of zod');
  if (readFileSync(join(root, 'LICENSE'), 'utf8') !== readFileSync(join(sdk, 'LICENSE'), 'utf8')) {
    problems.push('sdk/LICENSE differs from LICENSE');
  }
}

const folder = mkdtempSync(join(tmpdir(), 'rewind-pack-'));
try {
  run('npm', ['run', 'build', '-w', 'sdk']);
  const [pack] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], sdk));
  const tarball = join(folder, pack.filename);
  checkFiles(pack);
  checkPins();
  tool('publint', 'run', tarball, '--strict');
  // Resolution of before Node 12 knows no exports, and Node 20 is the least we support.
  tool('attw', tarball, '--profile', 'node16', '--no-definitely-typed', '--no-emoji');
  console.log(`${pack.files.length} files, ${pack.size} bytes`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
