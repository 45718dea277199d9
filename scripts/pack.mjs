/**
 * npm run pack — packs teams-runtime-<version>.tgz in the checkout's root, then installs and uses it as a person would
 * (scripts/package/trial.mjs), and writes its weight into docs/package.md. The packed manifest has no `prepare` script,
 * no development dependencies, and of the dependencies only those that the bundles do not contain.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { stagePackage } from './package/stage.mjs';
import { tryPackage } from './package/trial.mjs';
import { weighPackage, writeWeight } from './package/weight.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** All others are in the bundles, and a declaration that names one has it installed. */
const DEPENDENCIES = 'piscina, zod';

const run = (file, args, cwd) =>
  execFileSync(file, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });

function pack() {
  run(process.execPath, ['scripts/build.mjs', '--types'], ROOT);
  const stage = mkdtempSync(join(tmpdir(), 'teams-pack-'));
  try {
    const { dependencies } = stagePackage(ROOT, stage);
    const names = Object.keys(dependencies).join(', ');
    if (names !== DEPENDENCIES)
      throw new Error(
        `The package needs ${names}, not ${DEPENDENCIES} as docs/package.md says: what imports the others?`,
      );
    const name = run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', ROOT], stage).trim();
    return { name, weight: weighPackage(stage) };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

const { name, weight } = pack();
console.log(name);
const installed = tryPackage(join(ROOT, name), ROOT);
writeWeight(join(ROOT, 'docs', 'package.md'), weight, installed);
console.log('It was installed into an empty prefix and used; publint and attw found nothing.');
