/**
 * Runs the suite under each supported Node, with the Node that the npm package `node` brings:
 * `npm run test:nodes [-- vitest arguments]`. A version that cannot be had is named and skipped. Ends with 1 if a suite
 * failed, or if no version could be had.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';

/** `TEAMS_NODES=22,24` for some of them. */
const VERSIONS = (process.env.TEAMS_NODES ?? '20,22,24,26').split(',');
const LONGEST_INSTALL_MS = 300_000;

// Not among temporary files: a fence has its own, and would not see the program.
const cache = join(homedir(), '.cache');
mkdirSync(cache, { recursive: true });
const directory = mkdtempSync(join(cache, 'teams-nodes-'));
const outcomes = [];

try {
  for (const version of VERSIONS) outcomes.push({ version, outcome: testUnder(version) });
} finally {
  rmSync(directory, { recursive: true, force: true });
}
for (const { version, outcome } of outcomes) console.log(`Node ${version}: ${outcome}`);
const isRed = outcomes.some(({ outcome }) => outcome.startsWith('FAILED'));
process.exitCode = isRed || outcomes.every(({ outcome }) => outcome.startsWith('SKIPPED')) ? 1 : 0;

function testUnder(version) {
  const prefix = join(directory, version);
  const words = ['install', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', `node@${version}`];
  const installed = spawnSync('npm', words, { encoding: 'utf8', timeout: LONGEST_INSTALL_MS });
  const node = join(prefix, 'node_modules/node/bin/node');
  if (installed.status !== 0 || !existsSync(node)) {
    const why = (installed.stderr ?? '').split('\n').find((line) => line.startsWith('npm error')) ?? 'no program came';
    return `SKIPPED, it could not be installed: ${why}`;
  }
  const exact = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  if (exact === '') return 'SKIPPED, its program does not run here';
  console.log(`\n=== Node ${exact}`);
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
  for (const argv of [['scripts/build.mjs'], ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]]) {
    const { status } = spawnSync(node, argv, { stdio: 'inherit', env });
    if (status !== 0) return `FAILED (${exact}: ${argv[0]})`;
  }
  return `passed (${exact})`;
}
