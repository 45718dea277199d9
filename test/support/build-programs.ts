/**
 * Builds the programs of the fixtures once, before the tests. A TypeScript loader would cost seconds at each start, and
 * a build in each test file costs more than most of the tests.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, stop } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { PROGRAMS } from './programs.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures');
const LOADER = join(import.meta.dirname, 'from-cache.cjs');

/** The package looks for its own programs beside `dist/`, so these get a `dist/` with our `bin/` beside it. */
export default async function setup(project: TestProject): Promise<() => void> {
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'teams-programs-'));
  const dist = join(home, 'dist');
  mkdirSync(dist);
  symlinkSync(join(import.meta.dirname, '../../bin'), join(home, 'bin'));
  await buildAll(dist);
  project.provide('programs', dist);
  process.env['TEAMS_TEST_FIRSTS'] = home;
  return () => rmSync(home, { recursive: true, force: true });
}

async function buildAll(outdir: string): Promise<void> {
  await build({
    entryPoints: Object.fromEntries(Object.entries(PROGRAMS).map(([name, file]) => [name, join(FIXTURES, file)])),
    outdir,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['piscina'],
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
    define: { 'import.meta.filename': '__filename' },
  });
  await stop();
  for (const name of Object.keys(PROGRAMS)) {
    const bundle = join(outdir, `${name}.js`);
    writeFileSync(join(outdir, `${name}.cjs`), `require(${JSON.stringify(LOADER)})(${JSON.stringify(bundle)});\n`);
  }
}
