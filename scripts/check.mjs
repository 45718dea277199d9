/**
 * node scripts/check.mjs — types, lint, format, names, dead code and the freshness of generated files: as many at once as
 * there are cores. Prints what each says once it has ended; all run to their ends. Exits with 1 if one failed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PATH = [join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter);

/** The longest begin first. */
const PARTS = [
  ['eslint', '.', '--max-warnings', '0'],
  ['tsc', '-p', '.'],
  ['tsc', '-p', 'src/surfaces/web/page'],
  ['prettier', '--check', '.'],
  ['knip', '--no-progress'],
  ['node', 'scripts/schemas.mjs', '--check'],
  ['node', 'scripts/reference.mjs', '--check'],
  ['node', 'scripts/check-names.mjs'],
];

/** @returns {Promise<boolean>} whether it found nothing */
async function passes([program, ...argv]) {
  const begun = performance.now();
  const child = spawn(program, argv, { cwd: ROOT, env: { ...process.env, PATH }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, complained, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  console.log(`${code === 0 ? 'ok' : 'FAILED'}: ${[program, ...argv].join(' ')} (${seconds} s)`);
  const all = `${said}${complained}`.trimEnd();
  if (all !== '') console.log(all);
  return code === 0;
}

const waiting = [...PARTS];
async function lane() {
  let isGood = true;
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) isGood = (await passes(part)) && isGood;
  return isGood;
}

const lanes = await Promise.all(Array.from({ length: availableParallelism() }, lane));
process.exitCode = lanes.every(Boolean) ? 0 : 1;
