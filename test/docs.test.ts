/** Every proof that the documentation names is an existing test. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TASK_STATUSES } from '../src/model/board/task.ts';
import { ERROR_CODE_HELP } from '../src/model/text/error-code-help.ts';
import { parseName } from '../src/model/text/names.ts';
import { rootPaths, teamPathsAt } from '../src/store/files/paths.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const page = read('docs/reliability.md');

/** `file › title` in back quotes; a back quote of a title is escaped. */
const proofsIn = (text: string): [string, string][] =>
  [...text.matchAll(/`(test\/[^`]+?) › ((?:\\`|[^`])+)`/g)].map(([, file = '', title = '']): [string, string] => [
    file,
    title.replaceAll('\\`', '`'),
  ]);
const proofs = proofsIn(page);
const numbersIn = (heading: string): number[] => {
  const part = page.slice(page.indexOf(`\n## ${heading}\n`)).split('\n## ')[1] ?? '';
  return [...part.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, numbers = '']) => numbers.split(', ').map(Number));
};
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

it('each gotcha has a row and a test of its number', () => {
  const rows = [...read('docs/gotchas.md').matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
  const tests = [...read('test/e2e/gotchas.test.ts').matchAll(/'gotcha (\d+): /g)].map(([, number]) => Number(number));
  expect(rows).toEqual(upTo(12));
  expect(tests).toEqual(upTo(12));
});

it('every rule that source, tests and pages cite is in the specification', () => {
  const rules = new Set([...read('docs/specification.md').matchAll(/\*\*(R\d+\.\d+)\*\*/g)].map(([, rule]) => rule));
  expect(rules.size).toBeGreaterThan(100);
  const files = ['src', 'test', 'docs'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const unknown = files
    .filter((file) => /\.(?:ts|tsx|md)$/.test(file))
    .flatMap((file) => [...read(file).matchAll(/\bR1?\d\.\d{1,2}\b/g)].map(([rule]) => ({ file, rule })))
    .filter(({ rule }) => !rules.has(rule));
  expect(unknown).toEqual([]);
});

it('the page of troubles has a row for each error code', () => {
  const rows = [...read('docs/troubleshooting.md').matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \|/gm)].flatMap(
    ([, codes = '']) => codes.split(', ').map((code) => code.slice(1, -1)),
  );
  const codes = Object.values(ERROR_CODE_HELP).flatMap((help) => Object.keys(help));
  expect(rows.toSorted()).toEqual(codes.toSorted());
});

it('the page of files names each file of a root and of a team', () => {
  const text = read('docs/files-and-protocol.md');
  const [team, member] = [parseName('team', 'the-team'), parseName('member', 'the-member')];
  const root = rootPaths('/');
  const paths = teamPathsAt('/', team, '/.teams/the-team', '/.tasks/the-team');
  const inbox = paths.inbox(member);
  const ofOne = [
    root.moveLock(team),
    root.nameLock(team),
    inbox.oversized('<id>'),
    paths.earlierPlan(7),
    paths.leaseOwner(member),
    paths.leaseLock(member),
    paths.process(member),
    paths.output(member),
    paths.outputParts(member),
    paths.agentSession(member),
    paths.taskView('<id>'),
    paths.taskFile('<task>', 7),
    paths.result('<task>'),
    paths.result('<task>', 7),
  ];
  const files = [root, paths, paths.session, inbox, ofOne]
    .flatMap((one): unknown[] => Object.values(one))
    .flatMap((one) => (typeof one === 'string' && one !== '/' ? [basename(one)] : []))
    .map((file) => file.replace('the-team', 'NAME').replace('the-member', '<name>'))
    .map((file) => file.replace('<task>.7.', '<task>.<epoch>.').replace('.7.', '.<n>.'));
  const isNamed = (file: string) =>
    text.includes(file) || (file.endsWith('.lock') && text.includes(`\`${basename(file, '.lock')}\``));
  expect(files.length).toBeGreaterThan(60);
  expect([...new Set(files)].filter((file) => !isNamed(file))).toEqual([]);
});

it('the glossary has each status of a task', () => {
  const [, row = ''] = /^\| \*\*status\*\* \| of a task: (.*) \|$/m.exec(read('docs/glossary.md')) ?? [];
  expect([...row.matchAll(/`(\w+)`/g)].map(([, status]) => status)).toEqual([...TASK_STATUSES]);
});

it('README leads to each page', () => {
  const readme = read('README.md');
  const pages = readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md') && file !== 'performance.md');
  expect(pages.filter((page) => !readme.includes(`(docs/${page}`))).toEqual([]);
});

describe('the page of proofs', () => {
  it.each([...proofs, ...proofsIn(read('docs/security.md'))])(
    'the page of proofs names an existing test: %s › %s',
    (file, title) => {
      expect(existsSync(join(ROOT, file))).toBe(true);
      const source = read(file);
      expect(["'", '"', '`'].some((quote) => source.includes(`${quote}${escaped(title, quote)}${quote}`))).toBe(true);
    },
  );

  it('the page of proofs has a row for every fault and every threat', () => {
    expect(proofs.length).toBeGreaterThan(100);
    expect(numbersIn('Faults')).toEqual(upTo(63));
    expect(numbersIn('Threats').toSorted((a, b) => a - b)).toEqual(upTo(27));
  });

  it('the page on security has a row for every attack that worked once', () => {
    const rows = [...read('docs/security.md').matchAll(/^\| ([CHML]\d+) \| .* \| (.*) \|$/gm)];
    const numbered = (letter: string, last: number): string[] => upTo(last).map((number) => `${letter}${number}`);
    const all = [...numbered('C', 4), ...numbered('H', 12), ...numbered('M', 11), ...numbered('L', 14)];
    expect(rows.map(([, number]) => number)).toEqual(all);
    expect(rows.filter(([, , tests = '']) => proofsIn(tests).length === 0)).toEqual([]);
  });

  it('the page of proofs has every guarantee of the README', () => {
    const readme = read('README.md');
    const table = readme.slice(readme.indexOf('## Guarantees'));
    const claims = [...table.matchAll(/^\| (?!guaranteed|-)(.+?) \| .+ \|$/gm)].map(([, claim = '']) => claim);
    expect(claims).toHaveLength(7);
    expect(claims.filter((claim) => !page.includes(`| ${claim} `))).toEqual([]);
  });
});

const escaped = (title: string, quote: string): string => title.replaceAll(quote, `\\${quote}`);

describe('comments', () => {
  const folders = ['src', 'test', 'scripts', 'bench', 'bin'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(
        (file) => /\.(?:tsx?|mjs|cjs|js)$/.test(file) && !file.includes('node_modules') && !file.startsWith('.build'),
      )
      .map((file) => `${folder}/${file}`),
  );
  /** Lines of comments; strings of a sample project are no citations. */
  const commentsOf = (file: string): string =>
    read(file)
      .split('\n')
      .filter((line) => /^\s*(?:\/\*\*?|\*|\/\/)/.test(line))
      .join('\n');
  const found = (pattern: RegExp): string[] =>
    files.flatMap((file) => [...commentsOf(file).matchAll(pattern)].map(([text]) => `${file}: ${text}`));

  it('cite no document that is not in the repository', () => {
    expect(
      found(
        /\b(?:SPEC|DESIGN|RELIABILITY|STYLE|BOUNDARY|DECISIONS)(?:\.md)? ?§ ?\d*|\bS[0-4] \d+\.\d+|\((?:S[0-4])\b/g,
      ),
    ).toEqual([]);
  });

  it('cite only pages and rules that exist', () => {
    const pages = found(/\bdocs\/[\w./-]+\.md/g).filter((one) => !existsSync(join(ROOT, one.split(': ')[1] ?? '')));
    expect(pages).toEqual([]);
    const rules = new Set([...read('docs/specification.md').matchAll(/\*\*(R\d+\.\d+)\*\*/g)].map(([, rule]) => rule));
    expect(rules.size).toBeGreaterThan(100);
    const cited = found(/\bR\d+\.\d+\b/g).filter((one) => !rules.has(one.split(': ')[1] ?? ''));
    expect(cited).toEqual([]);
  });
});
