/** Makes what is measured: dist/ as it ships, and the product's parts that the bench drives itself. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';

const BENCH = fileURLToPath(new URL('..', import.meta.url));
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const run = (file, args) => {
  const { status } = spawnSync(file, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed.`);
};

/** The yardsticks have a lock file of their own, so that the product's install stays light. */
export function installYardsticks() {
  if (existsSync(new URL('../node_modules', import.meta.url))) return;
  console.error('bench/node_modules is missing: npm ci --prefix bench (a minute or two; better-sqlite3 compiles)');
  run('npm', ['ci', '--prefix', BENCH, '--no-audit', '--no-fund']);
}

export async function buildProduct() {
  run(process.execPath, ['scripts/build.mjs']);
  await build({
    entryPoints: [fileURLToPath(new URL('product.mjs', import.meta.url))],
    outfile: fileURLToPath(new URL('../.build/product.mjs', import.meta.url)),
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', external: ['piscina'], logLevel: 'error' },
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  });
  await stop();
}
