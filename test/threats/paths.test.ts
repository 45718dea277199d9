/**
 * Names and paths (threats 1, 2 and 3 of docs/reliability.md): no word of a command line and no planted file leads out
 * of the root.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';

/** Mail of this length is kept as a file of its own. */
const LONG = 'long '.repeat(60_000);

let place: Workplace;

/** Every path below the workplace and beside it, where a traversal would write. */
const everything = (): string[] =>
  readdirSync(place.root, { recursive: true, encoding: 'utf8' }).filter(
    // Tokens of locks come and go; events of refusals are appended.
    (file) => !/\.tokens\/|^home\//.test(file),
  );
const oneSentence = (text: string): void => expect(text).toMatch(/^teams: [^\n\u0000-\u001f\u007f-\u009f]+\n$/);

beforeEach(async () => {
  place = new Workplace();
  await place.teams('create', 'login', '--member', 'ada');
  await place.teams('task', 'create', 'One', '--owner', 'ada');
});

describe('a hostile name', () => {
  const NAMES = [
    '../login',
    '/etc/passwd',
    '..',
    '.',
    'a/b',
    'a\\b',
    'c:x',
    'login\u0000',
    '%2e%2e',
    '~',
    '~root',
    '-x',
    '--',

    'Login',
    'LOGIN',
    'ﬁ',
    'l\u00f6gin',
    'log\u0131n',
    'log in',
    'login.',
    'login_inbox',
    '__proto__',
    'constructor',

    'all',
    'user',
    'system',
    'config',
    'state',
    'events',
    'con',
    'nul',
    'com1',
    'lpt9',
    'a'.repeat(65),
    '$(touch x)',
    '`touch x`',
    ';touch x',
    '\u001b]0;x\u0007',
    'a\nb',
    '',
    ' ',
  ];
  /** Where each verb takes a name. */
  const SPOTS: [string, (name: string) => string[]][] = [
    ['create a team', (name) => ['create', '--', name]],
    ['create a member', (name) => ['create', 'fresh', `--member=${name}/`]],
    ['create a role', (name) => ['create', 'fresh', `--member=eve:${name}x/`]],
    ['spawn', (name) => ['spawn', 'login', '--agent', 'exec', '--', name]],
    ['worker', (name) => ['worker', 'login', '--agent', 'exec', '--', name]],
    ['the role of a worker', (name) => ['worker', 'login', 'eve', '--join', '--agent', 'exec', `--role=${name}/`]],
    ['lead', (name) => ['lead', '--', name]],
    ['resume', (name) => ['resume', '--', name]],
    ['delete', (name) => ['delete', '--now', '--', name]],
    ['cancel', (name) => ['cancel', '--', name]],
    ['status', (name) => ['status', '--', name]],
    ['wait', (name) => ['wait', '--', name]],
    ['log', (name) => ['log', '--', name]],
    ['report', (name) => ['report', '--', name]],
    ['logs', (name) => ['logs', 'login', '--', name]],
    ['why', (name) => ['why', 'login', '--', name]],
    ['at', (name) => ['at', 'login', '--', name]],
    ['send', (name) => ['send', 'login', '--', name, 'text']],
    ['send to a team', (name) => ['send', '--', name, 'ada', 'text']],
    ['send as', (name) => [`--as=${name}`, 'send', 'login', 'ada', 'text']],
    ['inbox', (name) => ['inbox', 'login', '--', name]],
    ['take', (name) => ['take', 'login', '--', name]],
    ['a task’s owner', (name) => ['task', 'create', 'login', 'Two', `--owner=${name}`]],
    ['a task’s role', (name) => ['task', 'create', 'login', 'Two', `--role=${name}/`]],
    ['a task', (name) => ['task', 'get', 'login', '--', name]],
    ['a task to claim', (name) => ['task', 'claim', 'login', '--', name]],
    ['a team to trust', (name) => ['doctor', `--trust=${name}/`]],
    ['the name of a run', (name) => ['run', 'plan.yaml', `--name=${name}`]],
  ];
  it.each(SPOTS)('a hostile name is refused by %s in one sentence, and nothing is created', async (_, argv) => {
    place.put('plan.yaml', 'members: [{name: eve, agent: {kind: exec}}]\ntasks: [{subject: Own, run: touch owned}]\n');
    const before = everything();
    for (const name of NAMES) {
      const { code, out, err } = await place.teams(...argv(name));
      // An empty or blank word may mean none.
      if (code === 0 && name.trim() === '') continue;
      expect({ name, code, out }).toEqual({ name, code: 2, out: '' });
      oneSentence(err);
    }
    expect(everything()).toEqual(before);
    expect(existsSync(join(dirname(place.root), 'x'))).toBe(false);
  });
});

describe('a planted file', () => {
  /** The planted path, and the verb that would open it. */
  const FILES: [string, string[]][] = [
    ['.tasks/login/log.jsonl', ['status', 'login']],
    ['.teams/login/config.json', ['status', 'login']],
    ['.teams/login/state.json', ['status', 'login']],
    ['.teams/login/ada_inbox.jsonl', ['send', 'login', 'ada', 'text']],
    ['.teams/login/ada_inbox.jsonl', ['take', 'login', 'ada']],
    ['.teams/login/ada_inbox.bell', ['send', 'login', 'ada', 'text']],
    ['.teams/login/ada_history.jsonl', ['take', 'login', 'ada']],
    ['.teams/login/ada_inbox.bad.jsonl', ['take', 'login', 'ada']],
    ['.teams/login/ada_inbox.taken.000001-01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl', ['take', 'login', 'ada']],
    ['.teams/login/events.jsonl', ['log', 'login']],
    ['.teams/login/events.jsonl', ['send', 'login', 'ada', 'text']],
    ['.teams/login/logs/ada.log', ['logs', 'login', 'ada']],
    ['.teams/login/processes/ada.json', ['status', 'login']],
    ['.teams/login/processes/lead.lease.json', ['status', 'login']],
    ['.teams/login/plan.json', ['resume', 'login']],
    ['.teams/config.yaml', ['status', 'login']],
    ['.tasks/login/log.checkpoint', ['status', 'login']],
    ['.teams/login/ledger.jsonl', ['budget', 'login']],
    ['.teams/login/ledger.jsonl', ['budget', 'login', '--set', 'cost=1']],
    [`.teams/login/blobs/${createHash('sha256').update(LONG).digest('hex')}`, ['take', 'login', 'ada']],
    [`.teams/login/blobs/${createHash('sha256').update(LONG).digest('hex')}`, ['send', 'login', 'ada', LONG]],
    ['.tasks/login/1.json', ['task', 'update', 'login', '1', '--subject', 'Two']],
    ['.tasks/login/log.jsonl', ['list']],
    ['.tasks/login/log.jsonl', ['task', 'list', 'login']],
    ['.tasks/login/log.jsonl', ['at', 'login', '1']],
    ['.teams/login/config.json', ['list']],
    ['.teams/login/state.json', ['why', 'login']],
    ['.teams/login/ada_inbox.jsonl', ['inbox', 'login', 'ada']],
    ['.teams/login/ada_history.jsonl', ['inbox', 'login', 'ada', '--history']],
    ['.teams/login/events.jsonl', ['why', 'login']],
    ['.teams/login/events.jsonl', ['report', 'login']],
    ['.teams/login/events.jsonl', ['replay', 'login']],
    ['.teams/login/events.jsonl', ['approvals', 'login']],
    ['.teams/login/results/1.md', ['task', 'get', 'login', '1']],
    ['.teams/login/report.json', ['report', 'login']],
    ['.teams/login/baseline.json', ['diff', 'login']],
    ['.teams/login/mail', ['inbox', 'login', 'ada']],
    ['.teams/login/processes', ['status', 'login']],
  ];
  const KINDS: [string, (at: string) => void][] = [
    ['a symbolic link', (at) => symlinkSync(join(place.root, 'secret'), at)],
    ['a link that leads nowhere', (at) => symlinkSync(join(place.root, 'nowhere'), at)],
    ['a hard link', (at) => linkSync(join(place.root, 'secret'), at)],
    ['a FIFO', (at) => execFileSync('mkfifo', [at])],
    ['a device', (at) => symlinkSync('/dev/zero', at)],
    ['a directory', (at) => mkdirSync(at)],
    ['a file of 60 GB without contents', (at) => execFileSync('truncate', ['-s', '60G', at])],
  ];
  it.each(
    FILES.flatMap(([at, argv]) =>
      KINDS.map(([kind, plant]) => [kind, at, argv.join(' ').slice(0, 60), { argv, plant }] as const),
    ),
  )('%s at %s: `teams %s` neither hangs nor shows or touches the target', async (kind, at, _line, { argv, plant }) => {
    allowLeft();
    const path = join(place.root, at);
    await place.teams('send', 'login', 'ada', 'waits');
    await place.teams('send', 'login', 'ada', LONG);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(join(place.root, '.teams/login/ada_inbox.jsonl'), 'garbage\n', { flag: 'a' });
    writeFileSync(join(place.root, 'secret'), 'secret\n', { mode: 0o644 });
    rmSync(path, { recursive: true, force: true });
    plant(path);
    const { code, err, out } = await place.say(argv, { environment: { TEAMS_LOCK_TIMEOUT_MS: '50' } });
    expect([0, 1, 2, 3, 4]).toContain(code);
    if (code !== 0) expect(err).toContain('teams: ');
    expect(err).not.toContain('This is a bug');
    // A hard link is the file itself, and no clone brings one.
    if (at !== '.teams/config.yaml' || kind !== 'a hard link') expect(out + err).not.toContain('secret');
    expect(existsSync(join(place.root, 'nowhere'))).toBe(false);
    expect(readFileSync(join(place.root, 'secret'), 'utf8')).toBe('secret\n');
    expect(lstatSync(join(place.root, 'secret')).mode & 0o777).toBe(0o644);
  });

  it('a configuration behind a link counts once its user trusts it', async () => {
    const path = join(place.root, '.teams/config.yaml');
    symlinkSync(place.put('mine.yaml', 'maxAgents: 3\n'), path);
    expect(await place.teams('config', 'show')).toMatchObject({
      code: 2,
      err: expect.stringContaining('symbolic link') as string,
    });
    await place.teams('doctor', '--trust');
    expect((await place.teams('config', 'show')).out).toMatch(/^maxAgents +3$/m);
    writeFileSync(join(place.root, 'mine.yaml'), 'maxAgents: 4\n');
    expect((await place.teams('config', 'show')).code).toBe(2);
  });

  it.each(['', '.tokens', 'processes', 'logs', 'results', 'mail', 'blobs', 'homes'])(
    'a link in the place of the folder %j gives no access outside',
    async (folder) => {
      const path = join(place.root, '.teams/login', folder);
      const elsewhere = join(place.root, 'elsewhere');
      if (existsSync(path)) renameSync(path, elsewhere);
      else mkdirSync(elsewhere);
      symlinkSync(elsewhere, path);
      const before = readdirSync(elsewhere, { recursive: true });
      for (const argv of [
        ['send', 'login', 'ada', 'text'],
        ['task', 'create', 'login', 'Two'],
        ['worker', 'login', 'ada', '--agent', 'exec', '--idle-timeout', '1ms'],
        ['status', 'login'],
      ]) {
        const { code, err } = await place.teams(...argv);
        expect({ argv, code }).toMatchObject({ code: folder === '' ? (expect.any(Number) as number) : 4 });
        expect(code).not.toBe(0);
        oneSentence(err);
      }
      expect(readdirSync(elsewhere, { recursive: true })).toEqual(before);
    },
  );

  it.each(['.teams', '.tasks', '.tasks/login', '.teams/.archive'])(
    'a link in the place of %s gives no access outside',
    async (at) => {
      const path = join(place.root, at);
      const elsewhere = join(place.root, 'elsewhere');
      if (existsSync(path)) renameSync(path, elsewhere);
      else mkdirSync(elsewhere);
      symlinkSync(elsewhere, path);
      const before = readdirSync(elsewhere, { recursive: true });
      for (const argv of [
        ['create', 'fresh'],
        ['send', 'login', 'ada', 'text'],
        ['delete', 'login', '--now'],
        ['task', 'create', 'login', 'x'],
      ])
        await place.teams('--root', place.root, ...argv);
      expect(readdirSync(elsewhere, { recursive: true })).toEqual(before);
    },
  );
});
