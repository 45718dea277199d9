/** A login that a program renews reaches the user's own file, whichever way the program writes and however it is run. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { prepareHome } from '../../src/agents/programs/agent-home-contents.ts';
import { returnLogins } from '../../src/store/workspace/renewed-login.ts';
import { realDisk } from '../../src/store/files/disk.ts';
import { realClock } from '../support/clock.ts';
import { join as join_ } from '../../src/runtime/teammate/join.ts';
import { encodeIsolation } from '../../src/runtime/team/teammate-env.ts';
import { main } from '../../src/surfaces/cli/main.ts';
import { until } from '../support/cli.ts';
import { reopened, team } from '../support/session.ts';
import { name } from '../support/team.ts';
import { tempDir } from '../support/temp.ts';

const OLD = '{"token":"old"}';
/** opencode's login can also say what it runs, so only tokens of known entries go back. */
const OLD_ENTRY = '{"openai":{"type":"oauth","refresh":"old","access":"old","expires":1}}';
const NEW_ENTRY = '{"openai":{"type":"oauth","refresh":"new","access":"new","expires":2}}';
const NEW = '{"token":"new and longer"}';

/** How programs write a file, as shell commands; `F` is the path that they know. */
const WRITERS: readonly (readonly [string, string])[] = [
  ['in place', `printf '%s' "$NEW" > "$F"`],
  ['by renaming', `printf '%s' "$NEW" > "$F.new"; mv -f "$F.new" "$F"`],
  [
    'at the end of the link, by renaming where that works',
    `T=$(readlink -f "$F"); printf '%s' "$NEW" > "$T.new" 2>/dev/null && mv -f "$T.new" "$T" 2>/dev/null || printf '%s' "$NEW" > "$T"`,
  ],
];

/** A real `claude`, `gemini` or `opencode` finds its login where these variables say. */
const KINDS = [
  ['claude', '.claude/.credentials.json', '$CLAUDE_CONFIG_DIR/.credentials.json'],
  ['gemini', '.gemini/oauth_creds.json', '$GEMINI_CLI_HOME/.gemini/oauth_creds.json'],
  ['opencode', '.local/share/opencode/auth.json', '$XDG_DATA_HOME/opencode/auth.json'],
  ['codex', '.codex/auth.json', '$CODEX_HOME/auth.json'],
] as const;

const compact = (json: string): string => json.replaceAll(/\s/g, '');

describe('the login of the user is renewed', () => {
  it.each(
    KINDS.flatMap(([kind, own, seen]) =>
      WRITERS.flatMap(([how, writer]) =>
        (['auto', 'off'] as const).map((isolation) => ({ kind, own, seen, how, writer, isolation })),
      ),
    ),
  )('$kind $how, isolation $isolation', async ({ kind, own, seen, how, writer, isolation }) => {
    const base = mkdtempSync(join(realpathSync(homedir()), '.login-'));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const [home, bin] = [join(base, 'home'), join(base, 'bin')];
    mkdirSync(bin);
    const login = join(home, own);
    mkdirSync(join(login, '..'), { recursive: true });
    const [old, renewed] = kind === 'opencode' ? [OLD_ENTRY, NEW_ENTRY] : [OLD, NEW];
    writeFileSync(login, old, { mode: 0o600 });
    utimesSync(login, 1_000, 1_000);
    writeFileSync(
      join(bin, kind),
      `#!/bin/sh\ncase "$*" in *--version*) echo 9.0.0; exit 0;; esac\nF="${seen}"; NEW='${renewed}'; cat "$F" >&2; ${writer}\nexit 9\n`,
      { mode: 0o755 },
    );
    const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
    const on = await team({
      members: [{ name: 'ada', agent: { kind } }],
      tasks: [{ subject: 'Work', work: { prompt: 'Do it.' } }],
    });
    const environment = { PATH, HOME: home, XDG_STATE_HOME: join(home, 'state'), ...encodeIsolation(isolation) };
    const teammate = await join_(reopened(on.paths), name('ada'), { byHand: true, commandLine: main, environment });
    const left = teammate.run();
    // As text: in the middle of a write in place it is no JSON.
    await until(() => compact(readFileSync(login, 'utf8')) === compact(renewed), 'the login is renewed');
    teammate.stop('signal');
    await left;
    expect(on.events(isolation === 'off' || kind === 'codex' ? 'sandbox.missing' : 'sandbox.held').length).toBe(
      isolation === 'off' || kind === 'codex' ? 0 : 1,
    );
    // A program that replaces the file itself gives it its own mode.
    if (!how.startsWith('at the end')) expect(statSync(login).mode & 0o777).toBe(0o600);
  });
});

describe("opencode's login, which can name an address whose configuration it runs", () => {
  const PLANTS: readonly (readonly [string, unknown])[] = [
    [
      'a new address',
      {
        openai: { type: 'oauth', refresh: 'old', access: 'old' },
        'http://evil': { type: 'wellknown', key: 'K', token: 't' },
      },
    ],
    ['a token that is an object', { openai: { type: 'oauth', refresh: {}, access: 'old' } }],
    ['an entry that becomes an address', { openai: { type: 'wellknown', key: 'K', token: 't' } }],
    ['an entry with more in it', { openai: { type: 'oauth', refresh: 'new', access: 'new', url: 'http://evil' } }],
    ['a key in place of a key', { key: { type: 'api', key: 'evil' } }],
    ['an entry called __proto__', JSON.parse('{"__proto__":{"type":"wellknown"}}')],
    ['no entries', {}],
  ];
  const USERS = { openai: { type: 'oauth', refresh: 'old', access: 'old' }, key: { type: 'api', key: 'mine' } };

  it.each(PLANTS)('does not get %s', async (_, planted) => {
    const base = tempDir();
    const home = join(base, 'home');
    mkdirSync(join(home, 'opencode'), { recursive: true });
    const [own, copy] = [join(base, 'own.json'), join(home, 'opencode/auth.json')];
    writeFileSync(own, JSON.stringify(USERS));
    utimesSync(own, 1_000, 1_000);
    writeFileSync(copy, JSON.stringify(planted));
    const around = { home, disk: realDisk, clock: realClock, environment: { XDG_STATE_HOME: join(base, 'state') } };
    expect(await returnLogins([{ copy, own, isTokensOnly: true }], around)).toEqual([]);
    expect(JSON.parse(readFileSync(own, 'utf8'))).toEqual(USERS);
  });

  it('gets a renewed token, and the copy of the next start is the user’s again', async () => {
    const base = tempDir();
    const home = join(base, 'home');
    mkdirSync(join(home, 'opencode'), { recursive: true });
    const [own, copy] = [join(base, 'auth.json'), join(home, 'opencode/auth.json')];
    writeFileSync(own, JSON.stringify(USERS));
    utimesSync(own, 1_000, 1_000);
    const renewed = { ...USERS.openai, refresh: 'new', access: 'newer' };
    writeFileSync(copy, JSON.stringify({ openai: renewed, 'http://evil': { type: 'wellknown' } }));
    const around = { home, disk: realDisk, clock: realClock, environment: { XDG_STATE_HOME: join(base, 'state') } };
    expect(await returnLogins([{ copy, own, isTokensOnly: true }], around)).toEqual([own]);
    expect(JSON.parse(readFileSync(own, 'utf8'))).toEqual({ ...USERS, openai: renewed });
    prepareHome(join(home, 'opencode'), { copies: { 'auth.json': [base, 'auth.json'] } });
    expect(JSON.parse(readFileSync(copy, 'utf8'))).toEqual({ ...USERS, openai: renewed });
    expect(lstatSync(copy).mode & 0o777).toBe(0o600);
    expect(await returnLogins([{ copy, own, isTokensOnly: true }], around)).toEqual([]);
  });
});

describe('what is brought back', () => {
  let home: string;
  let own: string;
  let copy: string;
  const bring = (): Promise<string[]> =>
    returnLogins([{ copy, own }], {
      home,
      disk: realDisk,
      clock: realClock,
      environment: { XDG_STATE_HOME: join(home, '../state') },
    });
  beforeEach(() => {
    const base = tempDir();
    home = join(base, 'homes/ada');
    mkdirSync(join(home, 'claude'), { recursive: true });
    own = join(base, 'own.json');
    copy = join(home, 'claude/.credentials.json');
    writeFileSync(own, OLD);
    utimesSync(own, 1_000, 1_000);
  });

  it('a newer file of its own; the file of the user stays the same file', async () => {
    const { ino } = statSync(own);
    writeFileSync(copy, NEW);
    expect(await bring()).toEqual([own]);
    expect(readFileSync(own, 'utf8')).toBe(NEW);
    expect(statSync(own).ino).toBe(ino);
    expect(await bring()).toEqual([]);
    // The next start has a link again.
    prepareHome(join(home, 'claude'), { links: { '.credentials.json': [join(own, '..'), 'own.json'] } });
    expect(lstatSync(copy).isSymbolicLink()).toBe(true);
  });

  it.each([
    [
      'an older file',
      () => {
        writeFileSync(copy, NEW);
        utimesSync(copy, 500, 500);
      },
    ],
    ['a file that is half written', () => writeFileSync(copy, '{"token":"n')],
    ['an empty file', () => writeFileSync(copy, '')],
    ['what is no object', () => writeFileSync(copy, '"words"')],
    ['a file of any size', () => writeFileSync(copy, `{"a":"${'x'.repeat(2 ** 20)}"}`)],
    [
      'a link',
      () => {
        writeFileSync(join(home, '../secret'), NEW);
        symlinkSync(join(home, '../secret'), copy);
      },
    ],
    [
      'a file behind a link to another directory',
      () => {
        mkdirSync(join(home, '../other'));
        writeFileSync(join(home, '../other/.credentials.json'), NEW);
        rmSync(join(home, 'claude'), { recursive: true });
        symlinkSync(join(home, '../other'), join(home, 'claude'));
      },
    ],
    ['a directory', () => mkdirSync(copy)],
  ])('not %s', async (_, plant) => {
    plant();
    expect(await bring()).toEqual([]);
    expect(readFileSync(own, 'utf8')).toBe(OLD);
  });

  it('nothing where the user has no login', async () => {
    rmSync(own);
    writeFileSync(copy, NEW);
    expect(await bring()).toEqual([]);
    expect(existsSync(own)).toBe(false);
  });

  it('of many at once, one whole file is left', async () => {
    const all = Array.from({ length: 20 }, (__, index) => `{"token":"${'n'.repeat(index * 50)}"}`);
    const members = all.map((text, index) => {
      const at = join(home, '..', `m${index}`);
      mkdirSync(join(at, 'claude'), { recursive: true });
      writeFileSync(join(at, 'claude/.credentials.json'), text);
      return at;
    });
    await Promise.all(
      members.map((at) =>
        returnLogins([{ copy: join(at, 'claude/.credentials.json'), own }], {
          home: at,
          disk: realDisk,
          clock: realClock,
          environment: { XDG_STATE_HOME: join(home, '../state') },
        }),
      ),
    );
    expect(all).toContain(readFileSync(own, 'utf8'));
  });
});
