/**
 * node scripts/repeat.mjs [--times N] [--busy N] [FILE…] — runs test files again and again with busy loops beside them,
 * and says how many runs were red. Without files: the tests of copies, stalled processes and hooks in a sweep.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILES = [
  'test/threats/copies.test.ts',
  'test/threats/stalled-verbs.test.ts',
  'test/store/stalls.test.ts',
  'test/store/board/events.test.ts',
  'test/runtime/lead/lead-children.test.ts',
  'test/runtime/lead/end-orphans.test.ts',
  'test/e2e/version-before.test.ts',
];
const { values, positionals } = parseArgs({
  options: { times: { type: 'string', default: '50' }, busy: { type: 'string', default: '4' } },
  allowPositionals: true,
});
const files = positionals.length > 0 ? positionals : FILES;
const home = mkdtempSync(join(tmpdir(), 'teams-repeat-'));

/** @returns the titles of failed tests by file */
async function run(round) {
  const answer = join(home, `${round}.json`);
  const args = ['vitest', 'run', '--reporter=json', `--outputFile=${answer}`, ...files];
  const child = spawn('npx', args, { cwd: ROOT, stdio: 'ignore' });
  await once(child, 'exit');
  const { testResults } = JSON.parse(readFileSync(answer, 'utf8'));
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && status === 'failed') return [`${name}: ${message}`];
    return failed.map(({ fullName, failureMessages: [why = ''] }) => `${fullName}: ${why.split('\n', 1)[0]}`);
  });
}

const busy = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
const endBusy = () => busy.forEach((child) => child.kill('SIGKILL'));
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    endBusy();
    process.exit(1);
  });
let red = 0;
try {
  for (let round = 1; round <= Number(values.times); round += 1) {
    const failed = await run(round);
    if (failed.length > 0) red += 1;
    console.log(`${round}: ${failed.length === 0 ? 'green' : failed.join('\n   ')} (load ${loadavg()[0].toFixed(1)})`);
  }
} finally {
  endBusy();
  rmSync(home, { recursive: true });
}
console.log(`${values.times} runs with ${values.busy} busy loops: ${red} red`);
process.exitCode = red === 0 ? 0 : 1;
