/** What README and documentation show is true: plans, the Python writer, commands, links, paths. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parsePlan } from '../src/app.ts';
import { runTeams } from './support/teams-command.ts';
import { tempDir } from './support/temp.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((file) => (file.endsWith('.md') ? [`docs/${file}`] : [])),
  ...readdirSync(join(ROOT, 'docs/decisions')).map((file) => `docs/decisions/${file}`),
].filter((page) => existsSync(join(ROOT, page)));

/** The fenced blocks of one language, in their order. */
const blocks = (page: string, language: string): string[] =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, body]) => body ?? '');

/** A page without its fenced blocks. */
const prose = (page: string): string => read(page).replaceAll(/^```[\s\S]*?^```/gm, '');

/** The anchors that GitHub makes of a page's headings. */
const anchors = (page: string): string[] =>
  [...prose(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it('README has at most 8,000 bytes', () => {
  expect(Buffer.byteLength(read('README.md'))).toBeLessThanOrEqual(8_000);
});

describe.each(PAGES)('%s', (page) => {
  it('the page links only to files and headings that exist', () => {
    const targets = [
      ...prose(page)
        .replaceAll(/`[^`\n]*`/g, '')
        .matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g),
    ];
    const dead = targets.flatMap(([, path = '', anchor]) => {
      const file = path === '' ? page : resolve('/', dirname(page), path).slice(1);
      if (!existsSync(join(ROOT, file))) return [path];
      return anchor !== undefined && !anchors(file).includes(anchor) ? [`${file}#${anchor}`] : [];
    });
    expect(dead).toEqual([]);
  });

  it('the page names only source files that exist', () => {
    const named = [...prose(page).matchAll(/`((?:src|test|scripts|bin|schemas)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe('commands', () => {
  it('all commands that the pages name exist', async () => {
    const { stdout } = await runTeams(['--help'], { cwd: tempDir() });
    const { stdout: board } = await runTeams(['task', '--help'], { cwd: tempDir() });
    const unknown = PAGES.flatMap((page) => [
      ...unlisted(stdout, page, /`teams ([a-z]+)/g),
      ...unlisted(board, page, /`teams task ([a-z]+)/g),
    ]);
    expect(unknown).toEqual([]);
  });
});

const unlisted = (help: string, page: string, command: RegExp): string[] =>
  [...prose(page).matchAll(command)]
    .map(([, verb = '']) => verb)
    .filter((verb) => !help.includes(`  ${verb} `))
    .map((verb) => `${page}: ${verb}`);

describe('samples', () => {
  it('all samples of plans are valid plans', () => {
    const plans = [...blocks('docs/plans.md', 'yaml'), ...blocks('README.md', 'yaml')].filter((text) =>
      /^tasks:/m.test(text),
    );
    expect(plans.length).toBeGreaterThan(1);
    for (const text of plans) expect(() => parsePlan({ text, file: 'plan.yaml', format: 'yaml' })).not.toThrow();
  });

  it('the samples include a Python writer whose line a running command reads', async () => {
    const root = tempDir();
    const state = { XDG_STATE_HOME: join(root, 'state') };
    await runTeams(['create', 'hello', '--member', 'ada'], { cwd: root, env: state });
    writeFileSync(join(root, 'writer.py'), blocks('docs/files-and-protocol.md', 'python')[0] ?? '');
    await promisify(execFile)('python3', [join(root, 'writer.py')], { cwd: root });
    const { stdout } = await runTeams(['inbox', 'hello', 'ada', '--json'], { cwd: root, env: state });
    expect(JSON.parse(stdout)).toMatchObject({ messages: [{ type: 'message', sender: 'me', content: 'hi' }] });
  });
});
