/**
 * npm run pack — packs teams-runtime-<version>.tgz in the checkout's root. The packed manifest has no `prepare` script and no
 * development dependencies, so installing it runs nothing and fetches only what the program needs.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ALWAYS = ['README.md', 'LICENSE'];

const LEFT_OUT = ['scripts', 'devDependencies', 'allowScripts'];
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
for (const key of LEFT_OUT) delete manifest[key];

const run = (file, args, cwd) =>
  execFileSync(file, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });

run(process.execPath, ['scripts/build.mjs', '--types'], ROOT);
const stage = mkdtempSync(join(tmpdir(), 'teams-pack-'));
try {
  for (const name of [...ALWAYS, ...manifest.files.filter((file) => !file.startsWith('!'))])
    cpSync(join(ROOT, name), join(stage, name), { recursive: true });
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  console.log(run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', ROOT], stage).trim());
} finally {
  rmSync(stage, { recursive: true, force: true });
}
