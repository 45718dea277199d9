/** TypeScript programs for tests to start as processes: bundled once per test file, since a loader at start costs seconds. */
import { renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, stop } from 'esbuild';

/** Each run overwrites what the last one left here. */
const HOME = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'teams-tests');

const made = new Map<string, Promise<string>>();

/**
 * @param entry path of a TypeScript file
 * @returns path of one `.mjs` file that holds it and all it imports
 */
export function bundle(entry: string): Promise<string> {
  const built = made.get(entry) ?? bundleAnew(entry);
  made.set(entry, built);
  return built;
}

async function bundleAnew(entry: string): Promise<string> {
  const path = join(HOME, `${basename(entry, '.ts')}.mjs`);
  const outfile = join(HOME, `${basename(entry, '.ts')}.${process.pid}.mjs`);
  await build({
    ...{ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20' },
    // CommonJS packages inside an ES module call `require`.
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  });
  // Its service would be a process that the test left behind.
  await stop();
  // Another test file may bundle the same at the same time.
  renameSync(outfile, path);
  return path;
}
