/** TypeScript programs for tests to start as processes: bundled once per run, since a loader at start costs seconds. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build, stop } from 'esbuild';

const made = new Map<string, Promise<string>>();
let directory: string | undefined;

/**
 * @param entry path of a TypeScript file
 * @returns path of one `.mjs` file that holds it and all it imports; it goes when this process ends
 */
export function bundle(entry: string): Promise<string> {
  const built = made.get(entry) ?? bundleAnew(entry);
  made.set(entry, built);
  return built;
}

async function bundleAnew(entry: string): Promise<string> {
  const hash = createHash('sha256').update(entry).digest('hex').slice(0, 8);
  const outfile = join(home(), `${basename(entry, '.ts')}-${hash}.mjs`);
  await build({
    ...{ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20' },
    // CommonJS packages inside an ES module call `require`.
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  });
  // Its service would be a process that the test left behind.
  await stop();
  return outfile;
}

function home(): string {
  if (directory !== undefined) return directory;
  const path = mkdtempSync(join(tmpdir(), 'teams-bundle-'));
  process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  return (directory = path);
}
