/** The last line of `.ci/run`: the sum over the reports of all its runs of the tests. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tempDir } from '../support/temp.ts';

const SCRIPT = fileURLToPath(new URL('../../.ci/count.mjs', import.meta.url));

function report(passed: number, failed: number): string {
  const path = join(tempDir(), 'report.json');
  const test = { fullName: 'a test', failureMessages: ['Error: broken\n    at here'] };
  const tests = (status: string, count: number) => Array.from({ length: count }, () => ({ ...test, status }));
  const assertionResults = [...tests('passed', passed), ...tests('failed', failed)];
  writeFileSync(
    path,
    JSON.stringify({
      testResults: [{ name: '/here/test/some.test.ts', status: failed > 0 ? 'failed' : 'passed', assertionResults }],
    }),
  );
  return path;
}

const count = (...words: string[]): string => execFileSync(process.execPath, [SCRIPT, ...words], { encoding: 'utf8' });

const FAILED = 'FAILED test/some.test.ts: a test\n    Error: broken\n        at here\n';

it('the count is the sum over all reports, after the failed tests', () => {
  expect(count(report(7, 0), '0', report(3, 2), '1')).toBe(`${FAILED.repeat(2)}10 passed, 2 failed\n`);
});

it('a run without a report, or that failed without a failed test, is one failure each', () => {
  expect(count('/nowhere/a.json', '1', report(3, 0), '1', report(4, 0), '0')).toBe('7 passed, 2 failed\n');
});
