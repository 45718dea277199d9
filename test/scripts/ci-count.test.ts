/** The last line of `.ci/run`: the sum over the reports of all its runs of the tests, and which files run once more. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tempDir } from '../support/temp.ts';

interface ReportedTest {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

const tests = (status: string, number: number, name = 'a test'): ReportedTest[] =>
  Array.from({ length: number }, (_, at) => ({
    fullName: number === 1 ? name : `${name} ${at}`,
    status,
    failureMessages: ['Error: broken\n    at here'],
  }));

function report(assertionResults: readonly ReportedTest[], file = 'some'): string {
  const path = join(tempDir(), 'report.json');
  const status = assertionResults.some((one) => one.status === 'failed') ? 'failed' : 'passed';
  writeFileSync(
    path,
    JSON.stringify({ testResults: [{ name: `/here/test/${file}.test.ts`, status, assertionResults }] }),
  );
  return path;
}

function broken(): string {
  const path = join(tempDir(), 'report.json');
  const file = { name: '/here/test/some.test.ts', status: 'failed', message: 'no such module', assertionResults: [] };
  writeFileSync(path, JSON.stringify({ testResults: [file] }));
  return path;
}

const script = (name: string, words: readonly string[]): { code: number | null; out: string } => {
  const path = fileURLToPath(new URL(`../../.ci/${name}.mjs`, import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [path, ...words], { encoding: 'utf8' });
  return { code: status, out: stdout };
};
const count = (...words: string[]) => script('count', words);
const again = (path: string): string => script('again', [path]).out;

const told = (word: string, title: string): string =>
  `${word} test/some.test.ts: ${title}\n    Error: broken\n        at here\n`;

it('the count is the sum over all reports, after the failed tests', () => {
  const [green, red] = [report(tests('passed', 7)), report([...tests('passed', 3), ...tests('failed', 2)])];
  expect(count(green, '0', '-', red, '1', '-')).toEqual({
    code: 1,
    out: `${told('FAILED', 'a test 0')}${told('FAILED', 'a test 1')}10 passed, 2 failed\n`,
  });
  expect(count(green, '0', '-')).toEqual({ code: 0, out: '7 passed, 0 failed\n' });
});

it('a run without a report, or that failed without a failed test, is one failure each', () => {
  const green = (number: number): string => report(tests('passed', number));
  expect(count('/nowhere/a.json', '1', '-', green(3), '1', '-', green(4), '0', '-')).toEqual({
    code: 1,
    out: '7 passed, 2 failed\n',
  });
});

it('a test that passes in the second run is named as unsteady and counts as passed', () => {
  const first = report([...tests('passed', 3), ...tests('failed', 1, 'shaky')]);
  expect(count(first, '1', report(tests('passed', 1, 'shaky')))).toEqual({
    code: 0,
    out: `${told('UNSTEADY (failed, then passed)', 'shaky')}4 passed, 0 failed\n`,
  });
});

it('a test stays failed if the second run fails, does not hold it, or has no report', () => {
  const first = report([...tests('passed', 3), ...tests('failed', 1, 'shaky')]);
  for (const second of [
    report(tests('failed', 1, 'shaky')),
    report([...tests('passed', 1, 'shaky'), ...tests('failed', 1, 'other')]),
    report(tests('passed', 1, 'other')),
    report(tests('passed', 1, 'shaky'), 'other'),
    '/nowhere/a.json',
  ])
    expect(count(first, '1', second)).toEqual({ code: 1, out: `${told('FAILED', 'shaky')}3 passed, 1 failed\n` });
});

it('a file that failed as a whole is one failure until it passes', () => {
  expect(count(broken(), '1', '-').out).toBe('FAILED test/some.test.ts\n    no such module\n0 passed, 1 failed\n');
  expect(count(broken(), '1', report(tests('passed', 1)))).toMatchObject({ code: 0 });
});

it('up to three failed tests run once more, and none if more failed', () => {
  const red = (number: number): string => again(report([...tests('passed', 9), ...tests('failed', number)]));
  expect([red(0), red(1), red(3), red(4)]).toEqual(['', 'test/some.test.ts\n', 'test/some.test.ts\n', '']);
  expect(again(broken())).toBe('test/some.test.ts\n');
  expect(again('/nowhere/a.json')).toBe('');
});
