import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** Folders whose sources can end up in the bundle. */
const sourceFolders = ['workflows', 'sandbox', 'sdk/protocol', 'types'];

/**
 * Bundles the workflow code, or gives the bundle made earlier of the same sources, and returns its
 * path. `cacheDir` is made when it is not there.
 */
export async function workflowBundle(cacheDir: string): Promise<string> {
  const extension = extname(__filename);
  const root = join(__dirname, '..');
  const prebuilt = join(root, 'workflow-bundle.js');
  if (extension === '.js' && existsSync(prebuilt)) return prebuilt;

  const path = join(cacheDir, `workflow-bundle-${inputsHash(root)}.js`);
  if (!existsSync(path)) {
    await buildWorkflowBundle(path);
    dropOldBundles(cacheDir);
  }
  return path;
}

/** Each is some megabytes. Young ones may be about to be loaded by another process. */
function dropOldBundles(cacheDir: string): void {
  const hourAgo = Date.now() - 3_600_000;
  for (const name of readdirSync(cacheDir)) {
    const path = join(cacheDir, name);
    if (/^workflow-bundle-\w+\.js$/.test(name) && statSync(path).mtimeMs < hourAgo) {
      rmSync(path, { force: true });
    }
  }
}

/** Bundles the workflow code into a file. */
export async function buildWorkflowBundle(path: string): Promise<void> {
  const root = join(__dirname, '..');
  const source = (name: string) => join(root, 'workflows', `${name}${extname(__filename)}`);
  const { code } = await bundleWorkflowCode({
    workflowsPath: source('index'),
    workflowInterceptorModules: [source('interceptors')],
    preloadModules: [source('preload')],
    logger: new DefaultLogger('WARN'),
    webpackConfigHook: (config) => ({
      ...config,
      module: {
        ...config.module,
        // The engine's bytes: the workflow VM can neither read files nor fetch.
        rules: [...(config.module?.rules ?? []), { test: /\.wasm$/, type: 'asset/bytes' }],
      },
    }),
  });
  mkdirSync(dirname(path), { recursive: true });
  // Another process may build the same bundle now: whoever is last replaces a file by its equal.
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, code);
  renameSync(temporary, path);
}

function inputsHash(root: string): string {
  const hash = createHash('sha256');
  const lock = [join(root, 'package-lock.json'), join(root, '..', 'package-lock.json')];
  const files = sourceFolders.flatMap((folder) => filesOf(join(root, folder)));
  for (const file of [__filename, ...lock.filter(existsSync), ...files]) {
    hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
