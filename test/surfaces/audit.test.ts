/**
 * The shipped example `.teams-example/audit.yaml`. Each auditor runs as the plan runs it, in repositories made here,
 * with a stub of `teams` first on PATH that keeps the sent mail. This file contains no secret-like text: such texts are
 * composed at run time.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { tempDir } from '../support/temp.ts';

const PLAN_DIR = resolve('.teams-example');
const STUB = '#!/bin/sh\nprintf "%s" "$*" >"$STUB_DIR/$TEAMS_MEMBER.args"\ncat >"$STUB_DIR/$TEAMS_MEMBER.text"\n';
const AUDITORS = {
  inventory: 'surveyor',
  history: 'historian',
  marks: 'foreman',
  dependencies: 'librarian',
  secrets: 'warden',
} as const;
type Auditor = keyof typeof AUDITORS;

const keyId = ['AK', 'IA', 'QRSTUVWXYZ234567'].join('');
const password = ['correct', 'horse', 'battery'].join('-');

/** Writes files, text or bytes, into a new folder. */
function folder(files: Record<string, string | Uint8Array>): string {
  const root = tempDir();
  put(root, files);
  return root;
}

function put(root: string, files: Record<string, string | Uint8Array>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}

function git(root: string, args: readonly string[], who = 'Ada', date = '2020-01-02T03:04:05Z'): void {
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: who,
    GIT_AUTHOR_EMAIL: `${who}@example.org`,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: who,
    GIT_COMMITTER_EMAIL: `${who}@example.org`,
    GIT_COMMITTER_DATE: date,
  };
  const done = spawnSync('git', args, { cwd: root, env, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
}

function commit(root: string, who?: string, date?: string): void {
  git(root, ['add', '--all']);
  git(root, ['commit', '--quiet', '--message', 'work'], who, date);
}

function repository(files: Record<string, string | Uint8Array>): string {
  const root = folder(files);
  git(root, ['init', '--quiet']);
  commit(root);
  return root;
}

/** Runs a program in `root` as the runner of that member would. */
function asMember(
  member: string,
  root: string,
  argv: readonly [string, ...string[]],
  extra: Record<string, string> = {},
) {
  const box = tempDir();
  writeFileSync(join(box, 'teams'), STUB);
  chmodSync(join(box, 'teams'), 0o755);
  const [file, ...args] = argv;
  const done = spawnSync(file, args, {
    cwd: root,
    encoding: 'utf8',
    env: {
      PATH: `${box}:${process.env.PATH ?? ''}`,
      GIT_CONFIG_GLOBAL: '/dev/null',
      STUB_DIR: box,
      TEAMS_PLAN_DIR: PLAN_DIR,
      TEAMS_MEMBER: member,
      ...extra,
    },
  });
  const sent = (part: string) => {
    const path = join(box, `${member}.${part}`);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  return { code: done.status, stdout: done.stdout, stderr: done.stderr, to: sent('args'), text: sent('text') };
}

/** The section that an auditor mails to the surveyor. It must equal the task's result, and be small. */
function audit(auditor: Auditor, root: string): string {
  const done = asMember(AUDITORS[auditor], root, ['sh', join(PLAN_DIR, 'audit/hand-on.sh'), auditor]);
  expect(done).toMatchObject({ code: 0, stderr: '', to: 'send surveyor -', text: done.stdout });
  expect(Buffer.byteLength(done.text)).toBeLessThan(60_000);
  return done.text;
}

describe('the inventory', () => {
  test('the inventory counts files, lines and bytes by language and by folder', () => {
    const root = repository({
      'src/a.ts': 'one\ntwo\n',
      'src/b.ts': 'three',
      'run.py': 'x\n',
      'logo.png': Buffer.of(0, 1),
    });
    const text = audit('inventory', root);
    expect(text).toMatch(/^## Inventory\n/);
    expect(text).toContain('4 files, 4 lines of text, 17 B in 3 kinds.');
    expect(text).toContain('| TypeScript | 2 | 3 | 13 B | 76.5 % |');
    expect(text).toContain('| Python | 1 | 1 | 2 B |');
    expect(text).toContain('| binary | 1 | 0 | 2 B |');
    expect(text).toContain('| `src/` | 2 | 13 B |');
  });

  test('the inventory takes any name, follows no link, and leaves out node_modules, ignored files and our own folders', () => {
    const root = repository({ 'sp ace/new\nline.ts': 'a\n', '-dash.ts': 'b\n', 'ünï|`.ts': 'c\n', 'a=b.ts': 'd\n' });
    put(root, {
      'node_modules/x/i.js': 'x',
      '.teams/t/i.js': 'x',
      '.tasks/t/i.js': 'x',
      '.gitignore': 'o.js\n',
      'o.js': 'x',
    });
    symlinkSync('/dev/zero', join(root, 'endless.ts'));
    const text = audit('inventory', root);
    expect(text).toContain('| TypeScript | 4 | 4 | 8 B |');
    expect(text).not.toContain('JavaScript');
    expect(text).toContain('1 symbolic link not followed.');
  });

  test('the inventory works without git, and says so in one sentence', () => {
    const text = audit('inventory', folder({ 'a.ts': 'x\n', 'node_modules/b/b.ts': 'y\n' }));
    expect(text).toContain('| TypeScript | 1 | 1 | 2 B |');
    expect(text).toContain('This folder is not the working tree of a git repository.');
  });
});

describe('the hot files', () => {
  test('the hot files are those of the most commits, with their authors and the last day', () => {
    const root = repository({ 'cold.ts': 'a\n', 'h ot|.ts': '1\n', 'gone.ts': 'x\n' });
    put(root, { 'h ot|.ts': '1\n2\n' });
    git(root, ['rm', '--quiet', 'gone.ts']);
    commit(root, 'Bob', '2021-05-06T07:08:09Z');
    const text = audit('history', root);
    expect(text).toContain('2 commits by 2 authors, 2020-01-02 to 2021-05-06; the hottest file is `h ot\\|.ts`');
    expect(text).toContain('| `h ot\\|.ts` | 2 | 2 | 2 | 2021-05-06 |\n| `cold.ts` | 1 | 1 | 1 | 2020-01-02 |');
    expect(text).toContain('Not listed, because they are gone: 1 touched file.');
  });

  test('the hot files give the reason if there are none: no commits, no repository, a shallow clone', () => {
    const empty = folder({ 'a.ts': 'x\n' });
    git(empty, ['init', '--quiet']);
    expect(audit('history', empty)).toContain('No history: the repository has no commits yet.');
    expect(audit('history', folder({}))).toContain('No history: this folder is not the working tree');
    const shallow = tempDir();
    git(shallow, ['clone', '--quiet', '--depth', '1', `file://${repository({ 'a.ts': 'x\n' })}`, '.']);
    expect(audit('history', shallow)).toContain('the clone is shallow');
  });
});

describe('the marked work', () => {
  test('marked work is listed oldest first, dated by blame', () => {
    const root = repository({ 'z.ts': '// TODO the oldest\n', 'sp ace\t1.py': 'x\n' });
    put(root, { 'sp ace\t1.py': 'x\n# FIXME later\n' });
    commit(root, 'Bob', '2021-05-06T07:08:09Z');
    put(root, {
      'z.ts': '// TODO the oldest\n/* HACK now */\n',
      'u.ts': 'XXX\n',
      'no.ts': 'TODOS mktemp.XXXXXX todo\n',
    });
    const text = audit('marks', root);
    expect(text).toMatch(/4 marks in 3 files \(.*1 TODO.*\); the oldest is [0-9.]+ years old\./);
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows[0]).toMatch(/^\| `z\.ts:1` \| 2020-01-02 \| [0-9.]+ years \| `TODO the oldest` \|$/);
    expect(rows[1]).toMatch(/^\| `sp ace\?1\.py:2` \| 2021-05-06 \| [0-9.]+ (years|months) \| `FIXME later` \|$/);
    expect(rows).toContain('| `z.ts:2` | not committed |  | `HACK now */` |');
    expect(rows).toContain('| `u.ts:1` |  |  | `XXX` |');
  });

  test('marked work shows no secret of its line, and no text leaves its table cell', () => {
    const text = audit('marks', repository({ 'a.ts': `// TODO | \`rotate\` ${keyId} <b>\n` }));
    expect(text).toContain("`TODO \\| 'rotate' ‹AWS access key id› <b>`");
    expect(text).not.toContain(keyId);
  });

  test('marked work is found without git too, without dates; binary files are not searched', () => {
    const text = audit('marks', folder({ 'a.ts': 'TODO x\n', 'b.bin': Buffer.from('\0 TODO y') }));
    expect(text).toContain('1 mark in 1 file (1 TODO).');
    expect(text).toContain('| `a.ts:1` |  |  | `TODO x` |');
  });

  test('marked work may be empty', () => {
    expect(audit('marks', repository({ 'a.ts': 'x\n' }))).toContain('No TODO, FIXME, XXX or HACK.');
  });
});

describe('the dependencies', () => {
  const lock = {
    lockfileVersion: 3,
    packages: {
      '': { name: 'root' },
      'node_modules/left': { version: '1.0.0', license: 'MIT' },
      'node_modules/a': { version: '1.1.0', license: 'GPL-3.0' },
      'node_modules/a/node_modules/left': { version: '2.0.0' },
      'node_modules/local': { link: true },
    },
  };

  test('the dependencies of every manifest are counted, with duplicates of the lock file and licences', () => {
    const root = repository({
      'package.json': JSON.stringify({ license: 'MIT', dependencies: { left: '^1.0.0' }, devDependencies: { a: '*' } }),
      'package-lock.json': JSON.stringify(lock),
      'packages/b b/package.json': JSON.stringify({ dependencies: { left: '^2.0.0' } }),
      'packages/b b/pnpm-lock.yaml': '',
      'bad/package.json': '{oops',
    });
    put(root, { 'node_modules/a/node_modules/left/package.json': '{"license":{"type":"ISC"}}' });
    const text = audit('dependencies', root);
    expect(text).toContain('2 package.json files declaring 2 packages; 3 locked, 1 of them in more than one version.');
    expect(text).toContain('| `package.json` | 1 | 1 | 0 | 0 | yes | `MIT` |');
    expect(text).toContain('| `packages/b b/package.json` | 1 | 0 | 0 | 0 | no | `not stated` |');
    expect(text).toContain('| `left` | 2 | `1.0.0` `2.0.0` |');
    expect(text).toContain('| `left` | 2 | `^1.0.0` `^2.0.0` |');
    expect(text).toContain('| `GPL-3.0` | 1 | `a@1.1.0` |');
    expect(text).toContain('| `ISC` | 1 |  |');
    expect(text).toContain('Could not be read: `bad/package.json` (not valid JSON).');
    expect(text).toContain('Seen but not read: `packages/b b/pnpm-lock.yaml`.');
  });

  test('the dependencies of an old, nested lock file are read, and a URL shows no password', () => {
    const url = (version: string) => `git+https://me:${password}@host.example/${version}`;
    const nested = { version: '1.0.0', dependencies: { y: { version: url('3') } } };
    const root = repository({
      'package.json': JSON.stringify({ dependencies: { z: '1' } }),
      'package-lock.json': JSON.stringify({ dependencies: { z: nested, y: { version: url('2') } } }),
    });
    const text = audit('dependencies', root);
    expect(text).toContain('| `y` | 2 | `git+https://…@host.example/2` `git+https://…@host.example/3` |');
    expect(text).not.toContain(password);
  });

  test('without a package.json the audit says that there are no dependencies', () => {
    expect(audit('dependencies', repository({ 'go.mod': 'module x\n' }))).toContain('No package.json to read.');
  });
});

describe('secrets and big files', () => {
  test('the secrets audit gives place and kind of a suspected secret, never the secret', () => {
    const root = repository({
      'sp ace\n.ini': `ok\naws = ${keyId}\n`,
      'conf.ts': `const password = "${password}-more";\nconst passwordHint = "your-password-goes-here";\n`,
      '.env': `DB_URL=postgres://me:${password}@db.internal/x\n`,
      'kebab.md': `${'risk-assessment-'.repeat(5)}\n`,
    });
    const text = audit('secrets', root);
    expect(text).toMatch(/^3 lines look like a secret:/m);
    expect(text).toContain('| `sp ace?.ini:2` | AWS access key id | `AKIA/ASIA…`, 20 characters |');
    expect(text).toContain('| `conf.ts:1` | literal with a secret name |');
    expect(text).toContain('| `.env:1` | password in a URL |');
    expect(text).toContain('Names that often hold secrets (1): `.env`.');
    expect(text).not.toContain(keyId.slice(4));
    expect(text).not.toContain(password);
  });

  test('the secrets audit reads untracked files, and says that history and ignored files were not searched', () => {
    const root = repository({ 'a.ts': 'x\n' });
    put(root, { 'new.txt': `${keyId}\n` });
    const text = audit('secrets', root);
    expect(text).toContain('| `new.txt:1` | AWS access key id |');
    expect(text).toContain('Neither the history, nor ignored files, nor binary files were searched');
  });

  test('the largest files are listed, binary or text', () => {
    const root = repository({ 'big.bin': Buffer.alloc(1_500_000), 'small.txt': 'abc' });
    const text = audit('secrets', root);
    expect(text).toContain('Nothing that looks like a secret was found.');
    expect(text).toContain('1 file above 1 MB.');
    expect(text).toContain('| `big.bin` | 1.5 MB | binary |\n| `small.txt` | 3 B | text |');
  });
});

describe('AUDIT.md', () => {
  interface Mail {
    readonly sender: string;
    readonly content: string;
  }
  const jsonl = (mail: readonly Mail[]) =>
    mail.map((one) => `${JSON.stringify({ type: 'message', ...one })}\n`).join('');

  /** The surveyor's last task: `mail` came with it, `earlier` is already acknowledged. */
  function report(root: string, mail: readonly Mail[], earlier: readonly Mail[] = []) {
    const home = folder({ 'mail.jsonl': jsonl(mail), '.teams/t/surveyor_history.jsonl': jsonl(earlier) });
    const env = { TEAMS_ROOT: home, TEAMS_TEAM: 't', TEAMS_MAIL_FILE: join(home, 'mail.jsonl') };
    return asMember('surveyor', root, [process.execPath, join(PLAN_DIR, 'audit/report.mjs')], env);
  }
  const written = (root: string) => readFileSync(join(root, 'AUDIT.md'), 'utf8');

  test('AUDIT.md has all five sections in their order, in whatever order the mail came', () => {
    const root = repository({ 'a.ts': 'TODO x\n', 'package.json': '{}' });
    const names: Auditor[] = ['secrets', 'dependencies', 'marks', 'history', 'inventory'];
    const mail = names.map((name) => ({ sender: AUDITORS[name], content: audit(name, root) }));
    const done = report(root, mail.slice(0, 3), mail.slice(3));
    expect(done).toMatchObject({ code: 0, stdout: 'AUDIT.md: 5 of 5 sections.\n', stderr: '' });
    const headings = written(root).match(/^##? .*$/gm);
    expect(headings?.slice(1)).toEqual([
      '## Inventory',
      '## Hot files',
      '## Marked work',
      '## Dependencies',
      '## Secrets and big files',
    ]);
    expect(written(root)).toMatch(/^- \*\*Marked work\*\*: 1 mark in 1 file/m);
    expect(written(root)).toMatch(/UTC at commit [0-9a-f]{7,} on \w+\.$/m);
  });

  test('AUDIT.md names missing sections, and takes none from another member', () => {
    const root = folder({});
    const mail = [
      { sender: 'surveyor', content: '## Inventory\n\nold\n' },
      { sender: 'surveyor', content: '## Inventory\n\nnew\n' },
      { sender: 'warden', content: '## Hot files\n\nnot mine\n' },
    ];
    expect(report(root, mail).stdout).toContain('1 of 5 sections; missing: Hot files, Marked work');
    expect(written(root)).toContain('**Missing: Hot files.** No findings of the historian arrived.');
    expect(written(root)).toContain('## Inventory\n\nnew');
    expect(written(root)).not.toMatch(/not mine|old/);
  });

  test('AUDIT.md replaces its own earlier report, and no other file of that name', () => {
    const root = folder({});
    expect(report(root, []).code).toBe(0);
    expect(report(root, []).code).toBe(0);
    put(root, { 'AUDIT.md': 'by hand\n' });
    const refused = report(root, []);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('was not written by this plan');
    expect(written(root)).toBe('by hand\n');
  });
});

describe('an auditor', () => {
  test('an auditor that fails sends nothing and fails its task', () => {
    const done = asMember('warden', folder({}), ['sh', join(PLAN_DIR, 'audit/hand-on.sh'), 'no-such-auditor']);
    expect(done.code).not.toBe(0);
    expect(done.to).toBe('');
  });
});

describe('the plan', () => {
  const planSchema = z.object({
    members: z.array(z.object({ name: z.string(), agent: z.object({ kind: z.string() }) })),
    tasks: z.array(
      z.object({ key: z.string(), owner: z.string(), run: z.string(), blockedBy: z.array(z.string()).default([]) }),
    ),
  });
  const plan = planSchema.parse(parse(readFileSync(join(PLAN_DIR, 'audit.yaml'), 'utf8')));

  test('the plan gives each of five exec teammates its audit, and the report waits for all of them', () => {
    expect(plan.members.map(({ name, agent }) => [name, agent.kind])).toEqual(
      Object.values(AUDITORS).map((name) => [name, 'exec']),
    );
    const audits = plan.tasks.filter(({ key }) => key !== 'report');
    expect(Object.fromEntries(audits.map(({ key, owner }) => [key, owner]))).toEqual(AUDITORS);
    for (const { key, run } of audits) expect(run).toBe(`sh "$TEAMS_PLAN_DIR/audit/hand-on.sh" ${key}`);
    expect(plan.tasks.at(-1)).toMatchObject({ key: 'report', owner: 'surveyor', blockedBy: Object.keys(AUDITORS) });
  });
});
