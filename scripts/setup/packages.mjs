import { existsSync, readFileSync } from 'node:fs';
import { SetupError, run, step } from './step.mjs';

/** Installs the npm packages unless those of package-lock.json are there already. */
export async function ensurePackages() {
  const missing = missingPackage();
  if (missing === undefined) return;
  try {
    await step(`Installing npm packages (${missing})`, () => {
      const args = ['ci', '--no-audit', '--no-fund'];
      const npm = process.env.npm_execpath;
      return npm && /\.c?js$/.test(npm) ? run(process.execPath, [npm, ...args]) : run('npm', args);
    });
  } catch (error) {
    throw new SetupError(
      `"npm ci" failed:\n${error.message}\n\nIs the npm registry reachable? Then try again.`,
    );
  }
}

/** Why an installation is needed. Compares contents: times change with every checkout. */
function missingPackage() {
  const installed = packagesOf('node_modules/.package-lock.json');
  if (!installed) return 'none are there yet';
  for (const [path, wanted] of Object.entries(packagesOf('package-lock.json') ?? {})) {
    if (!path.startsWith('node_modules/') || wanted.link) continue;
    const found = installed[path];
    if (found ? found.version !== wanted.version : !wanted.optional && !wanted.peer) {
      return `${path.slice('node_modules/'.length)} ${wanted.version} is missing`;
    }
  }
  return undefined;
}

function packagesOf(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : undefined;
}
