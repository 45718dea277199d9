/** The page about the bench is the one of its last result: a goal that was not met, or not measured, is said there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

interface Result {
  readonly goals: readonly { readonly id: string; readonly pass: boolean | string | null }[];
}
const { pageOf, picturesOf, GROUPS } = (await import(
  pathToFileURL(join(ROOT, 'bench/lib/performance-page.mjs')).href
)) as {
  pageOf: (result: Result) => string;
  picturesOf: (result: Result) => { file: string; text: string }[];
  GROUPS: { rows: string[] }[];
};
const { GOALS, WAIVED } = (await import(pathToFileURL(join(ROOT, 'bench/limits.mjs')).href)) as {
  GOALS: object;
  WAIVED: Record<string, string>;
};

const { judge } = (await import(pathToFileURL(join(ROOT, 'bench/lib/report.mjs')).href)) as {
  judge: (
    id: string,
    measured: { ours: number[]; theirs: number[]; least?: number[]; holds?: boolean },
  ) => { pass: boolean | string; ratio: number; least?: number };
};

const read = (path: string): string => readFileSync(join(ROOT, 'docs', path), 'utf8');
const latest = JSON.parse(read('bench/latest.json')) as Result;

it('docs/performance.md and its pictures are those of the last result', () => {
  expect(read('performance.md')).toBe(pageOf(latest));
  for (const { file, text } of picturesOf(latest)) expect([file, read(`bench/${file}`)]).toEqual([file, text]);
});

it('every goal is in one group, and on the page with its verdict', () => {
  const rows = GROUPS.flatMap((group) => group.rows);
  expect(rows).toEqual([...new Set(rows)]);
  for (const id of Object.keys(GOALS)) {
    expect(rows).toContain(id.split('.')[0]);
    const row = read('performance.md')
      .split('\n')
      .find((line) => line.startsWith(`| ${id} | `));
    const pass = latest.goals.find((goal) => goal.id === id)?.pass ?? null;
    expect(row).toMatch(pass === true ? /\| met \|$/ : pass === false ? /\| \*\*short\*\* \|$/ : /waived|not measured/);
  }
});

it('each goal that is waived has a page that proves it', () => {
  expect(Object.keys(GOALS)).toEqual(expect.arrayContaining(Object.keys(WAIVED)));
  for (const page of new Set(Object.values(WAIVED)))
    expect(readFileSync(join(ROOT, page), 'utf8'), page).toContain('**Waived.**');
});

/** Of a goal of at most 3 × that has a page. */
it.each([
  ['short and waived: the least program misses it, too', { ours: [11], least: [4] }, 'waived: docs/decisions/154', 4],
  ['short: the least program meets it', { ours: [11], least: [2] }, 'false', 2],
  ['met', { ours: [3], least: [2] }, 'true', 2],
  ['short: messages were lost', { ours: [1], least: [4], holds: false }, 'false', 4],
  ['waived by its page alone, where no least program is measured', { ours: [11] }, 'waived: ', undefined],
])('a goal is %s', (_, measured, pass, least) => {
  const judged = judge('4.fs-watch', { theirs: [1], ...measured });
  expect(String(judged.pass).startsWith(pass)).toBe(true);
  expect(judged.least).toBe(least);
});
