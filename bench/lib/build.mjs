/** Builds what is measured: dist/ as it ships, and the parts of the product that the bench drives itself. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';

const BENCH = fileURLToPath(new URL('..', import.meta.url));
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const run = (file, args) => {
  const { status } = spawnSync(file, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed.`);
};

/** The yardsticks have their own lock file, so that the product's install stays small. */
export function installYardsticks() {
  const changed = (path) => statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changed('../node_modules/.package-lock.json') >= changed('../package-lock.json')) return;
  console.error('bench/node_modules is missing or older than its lock file: npm ci --prefix bench (a minute or two)');
  run('npm', ['ci', '--prefix', BENCH, '--no-audit', '--no-fund']);
}

export async function buildProduct() {
  run(process.execPath, ['scripts/build.mjs']);
  await bundle('product', new URL('product.mjs', import.meta.url));
  // A team with a long history, built as the tests build it.
  const noTest = fileURLToPath(new URL('no-test.mjs', import.meta.url));
  await bundle('great-team', new URL('../../test/support/great-team.ts', import.meta.url), { vitest: noTest });
  await bundle('postgres', new URL('postgres.mjs', import.meta.url));
  await stop();
}

const bundle = (name, entry, alias = {}) =>
  build({
    entryPoints: [fileURLToPath(entry)],
    outfile: join(BENCH, '.build', `${name}.mjs`),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['piscina', 'pg'],
    logLevel: 'error',
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    alias,
  });
