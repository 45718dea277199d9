/**
 * A whole run with hostile input everywhere (threats 8 to 12 and 19 of docs/reliability.md): what it leaves, shows and
 * passes on.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { BIN, Workplace } from '../support/cli.ts';

const CANARY = 'sk-canary-0123456789abcdef';
const INJECTIONS = [
  '$(touch owned)',
  '`touch owned`',
  '; touch owned',
  '| touch owned',
  '&& touch owned',
  '\ntouch owned\n',
  "'; touch owned; '",

  '"; touch owned; "',
  '${IFS}touch${IFS}owned',
  '--dangerously-skip-permissions',
  '-c touch\\ owned',
  '%0atouch owned',
];
const DRIVES_A_TERMINAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const quoted = (value: unknown): string => JSON.stringify(value);

/** Every text field of a plan has an injection; the commands are ours. */
function hostilePlan(): string {
  const all = INJECTIONS.join(' ').replaceAll('\n', ' ');
  const env = Object.fromEntries(INJECTIONS.map((injection, index) => [`HOSTILE_${index}`, injection]));
  const tasks = INJECTIONS.map((injection, index) => ({
    key: `injected-${index}`,
    subject: `Task ${injection.trim()}`,
    description: injection,
    owner: 'bob',
    prompt: injection,
    files: [injection.trim()],
    env,
    required: false,
  }));
  return quoted({
    name: 'hostile',
    members: [
      { name: 'ada', role: 'builder', agent: { kind: 'exec' }, env },
      // It prints its argv, then its stdin.
      {
        name: 'bob',
        agent: { kind: 'exec', command: ['/bin/sh', '-c', 'printf "%s|" "$0" "$@"; cat', 'bob', ...INJECTIONS] },
      },
      {
        name: 'cy',
        agent: {
          kind: 'scripted',
          options: { turns: [{ repeat: true, says: [`said ${all}`, '\u001b]52;c;aGk=\u0007\u009b31m'] }] },
        },
      },
    ],
    tasks: [
      { key: 'env', subject: 'Look around', owner: 'ada', run: 'env > seen-env.txt' },
      {
        key: 'argv',
        subject: 'Look at the others',
        owner: 'ada',
        run: 'for one in /proc/[0-9]*/cmdline; do tr "\\0" " " < $one; echo; done > seen-argv.txt 2>&-; true',
      },
      {
        key: 'noise',
        subject: 'Make noise',
        owner: 'ada',
        run: "printf '\\033]0;title\\007\\033[31mred\\033[2J\\302\\233m\\n'",
      },
      {
        key: 'mail',
        subject: 'Write',
        owner: 'ada',
        run: 'head -c 300000 /dev/zero | tr "\\0" x | teams send lead -; teams send cy hello',
      },
      { key: 'fail', subject: 'Fail', owner: 'ada', required: false, retries: 1, run: 'echo broken >&2; exit 3' },
      { key: 'verify', subject: 'Check', owner: 'ada', run: 'true', verify: ['test -f seen-env.txt'] },
      { key: 'say', subject: all, owner: 'cy', prompt: all },
      ...tasks,
    ],
  });
}

interface Ran {
  readonly place: Workplace;
  readonly code: number | null;
  /** All output. */
  readonly said: string;
}

async function ran(): Promise<Ran> {
  const place = new Workplace({ FAKE_API_KEY: CANARY, ANTHROPIC_API_KEY: CANARY, AWS_SECRET_ACCESS_KEY: CANARY });
  place.put('plan.json', hostilePlan());
  const argv = [process.execPath, BIN, 'run', 'plan.json'];
  const child = spawn('/bin/sh', ['-c', 'umask 000; exec "$@"', 'sh', ...argv], {
    cwd: place.root,
    env: place.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { place, code: child.exitCode, said: `${out}${err}` };
}

const files = ({ root }: Workplace, from = '.'): string[] =>
  readdirSync(join(root, from), { recursive: true, encoding: 'utf8' }).map((file) => join(from, file));
const read = ({ root }: Workplace, file: string): string => readFileSync(join(root, file), 'utf8');

/** Threats 8, 9: each text reached its command unchanged, and no text became a command. */
function expectNothingInjected(place: Workplace): void {
  expect(files(place).filter((file) => file.includes('owned'))).toEqual([]);
  const results = files(place, '.teams/hostile/results').filter((file) => /\/\d+\.\d+\.md$/.test(file));
  const said = results.map((file) => read(place, file)).filter((result) => result.startsWith('bob|'));
  expect(said).toHaveLength(INJECTIONS.length);
  expect(said.filter((result) => !result.startsWith(`bob|${INJECTIONS.join('|')}|`))).toEqual([]);
  for (const injection of INJECTIONS)
    expect(said.some((result) => result.trimEnd().endsWith(injection.trim()))).toBe(true);
}

const LOOKS = [
  ['status', 'hostile'],
  ['log', 'hostile'],
  ['logs', 'hostile', 'ada'],
  ['report', 'hostile'],
  ['config', 'show'],

  ['task', 'list', 'hostile'],
  ['inbox', 'hostile', 'lead'],
  ['why', 'hostile', 'ada'],
  ['at', 'hostile', '3'],
];

/** Threats 10, 11: the secret of the lead's environment is in no child, argv, file or answer. */
async function expectNoSecret(place: Workplace): Promise<void> {
  expect(read(place, 'seen-env.txt')).toContain('TEAMS_MEMBER=ada');
  expect(read(place, 'seen-argv.txt')).toContain('teammate');
  for (const argv of LOOKS) {
    const { code, out, err } = await place.teams(...argv, '--json');
    expect({ argv, code, shows: `${out}${err}`.includes(CANARY) }).toEqual({ argv, code: 0, shows: false });
  }
  const plain = files(place).filter((file) => lstatSync(join(place.root, file)).isFile());
  expect(plain.filter((file) => read(place, file).includes(CANARY))).toEqual([]);
}

/** Files that are not 0600, segments of an inbox that are not that or read-only, and directories that are not 0700. */
const openToOthers = (place: Workplace, from: string): string[] =>
  [from, ...files(place, from)].filter((file) => {
    const stat = lstatSync(join(place.root, file));
    const mode = stat.mode & 0o777;
    if (stat.isDirectory()) return mode !== 0o700;
    return mode !== 0o600 && !(mode === 0o400 && file.includes('_inbox.taken.'));
  });

/** Threat 12: checked for files of a working team and of an archived one. */
async function expectPrivate(place: Workplace): Promise<void> {
  expect(files(place, '.teams/hostile/blobs')).toHaveLength(1);
  for (const folder of ['.teams', '.tasks', 'home/state']) expect(openToOthers(place, folder)).toEqual([]);
  const umask = process.umask(0);
  try {
    expect((await place.teams('delete', 'hostile')).code).toBe(0);
  } finally {
    process.umask(umask);
  }
  expect(files(place, '.teams/.archive').some((file) => file.endsWith('report.md'))).toBe(true);
  expect(openToOthers(place, '.teams')).toEqual([]);
}

describe('a run with hostile texts, a secret in its environment and umask 000', () => {
  it('a run with hostile texts runs none of them, shows no secret, and keeps every file to its user', async () => {
    const { place, code, said } = await ran();
    expect({ code, said: code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
    expect(said).toContain(`Tasks: ${6 + INJECTIONS.length}/`);
    expect(said).not.toMatch(DRIVES_A_TERMINAL);
    expect(said).not.toContain(CANARY);
    expectNothingInjected(place);
    await expectNoSecret(place);
    await expectPrivate(place);
  }, 60_000);
});
