/**
 * node scripts/mutants.mjs [WORD…] — makes errors in the code that recognises processes and folders, one at a time
 * (`identity-mutants.mjs`), and says which test finds each. With words: only errors whose name has one of them. Ends
 * with 1 if a test that should fail passes, and at once if one fails without an error.
 *
 * It works on a copy of the project. The tests run in a pid namespace of their own (`unshare`), as an error may signal
 * processes that are none of the test's.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { IDENTITY_MUTANTS } from './identity-mutants.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['bin', 'schemas', 'scripts', 'src', 'test'];
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'vitest.config.ts'];
const LONGEST_MS = 300_000;
const BUILD_MS = 60_000;

const user = process.getuid() === 0 ? [] : ['--user', '--map-current-user'];
const NAMESPACE = [...user, '--pid', '--fork', '--mount-proc', '--kill-child'];

const words = process.argv.slice(2);
const chosen = IDENTITY_MUTANTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) throw new Error('No error has such a name.');
if (spawnSync('unshare', [...NAMESPACE, 'true']).status !== 0)
  throw new Error('`unshare` makes no pid namespace here: an error could end processes of this machine.');

const home = mkdtempSync(join(tmpdir(), 'teams-mutants-'));
try {
  for (const name of [...FOLDERS, ...FILES]) cpSync(join(ROOT, name), join(home, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'));
  requireNoneFound();
  const survivors = chosen.filter((mutant) => !isFound(mutant));
  console.log(`${chosen.length} errors, ${survivors.length} not found (load ${loadavg()[0].toFixed(1)})`);
  process.exitCode = survivors.length === 0 ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** What fails without an error would find each of them. */
function requireNoneFound() {
  const tests = [...new Set(chosen.map(({ test }) => test))];
  const failed = failures(tests);
  if (failed.length > 0) throw new Error(`Without an error there fails: ${failed.join(', ')}`);
}

function isFound({ name, file, from, to, test, title }) {
  const path = join(home, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${name}: ${file} does not have its text once.`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  try {
    const failed = failures([test], title);
    console.log(failed.length > 0 ? `found      ${name}: ${failed[0]}` : `NOT FOUND  ${name} (${test})`);
    return failed.length > 0;
  } finally {
    writeFileSync(path, text);
  }
}

/** @returns the titles of the tests that fail */
function failures(tests, title) {
  // A build starts the programs once: an error may show there.
  const build = { cwd: home, stdio: 'ignore', timeout: BUILD_MS, killSignal: 'SIGKILL' };
  if (spawnSync('unshare', [...NAMESPACE, process.execPath, 'scripts/build.mjs'], build).status !== 0)
    return ['the build'];
  const answer = join(home, 'answer.json');
  const only = title === undefined ? [] : ['-t', title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')];
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=json',
    `--outputFile=${answer}`,
    ...tests,
    ...only,
  ];
  const run = spawnSync('unshare', [...NAMESPACE, process.execPath, ...vitest], {
    cwd: home,
    stdio: 'ignore',
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  });
  if (!existsSync(answer)) return ['its tests, which did not end'];
  const { testResults } = JSON.parse(readFileSync(answer, 'utf8'));
  rmSync(answer);
  const failed = testResults.flatMap(({ status, message, assertionResults }) => {
    const titles = assertionResults.filter((one) => one.status === 'failed').map(({ fullName }) => fullName);
    return titles.length === 0 && status === 'failed' ? [message] : titles;
  });
  // An error may have ended the process of the tests.
  return failed.length === 0 && run.status !== 0 ? ['the run of its tests'] : failed;
}
