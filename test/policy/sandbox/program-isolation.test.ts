/** Which programs run in program isolation, and what the isolation leaves open. */
import { expect, it } from 'vitest';
import type { Sandbox } from '../../../src/model/agent/agent.ts';
import type { AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import {
  isolatedProgramArgv,
  wantsIsolation,
  type ProgramSandbox,
} from '../../../src/policy/sandbox/program-isolation.ts';
import type { IsolationSetting } from '../../../src/policy/sandbox/shell-isolation.ts';

it.each<[string, boolean, AgentKind, Sandbox, boolean, IsolationSetting]>([
  ['a command whose sandbox was set explicitly', true, 'exec', 'workspace-write', true, 'auto'],
  ['a command of a read-only role', true, 'exec', 'read-only', true, 'auto'],
  ['a command of a relay, whose sandbox is a guess', false, 'exec', 'read-only', false, 'auto'],
  ['a command without a set sandbox', false, 'exec', 'workspace-write', false, 'auto'],
  ['a command without a set sandbox, where isolation is required', true, 'exec', 'workspace-write', false, 'required'],
  ['a program that runs a model', true, 'claude', 'workspace-write', false, 'auto'],
  ['another program that runs a model', true, 'gemini', 'read-only', false, 'auto'],
  ['a program whose state directories are unknown', false, 'acp', 'workspace-write', true, 'auto'],
  ['a program with a full sandbox', false, 'claude', 'full', true, 'required'],
  ['any program, where isolation is off', false, 'claude', 'read-only', true, 'off'],
  ['a program with its own sandbox', false, 'codex', 'workspace-write', true, 'required'],
  ['a model API, whose tools have shell isolation', false, 'anthropic', 'workspace-write', true, 'required'],
])('%s: %s', (_, isWanted, kind, sandbox, isAsked, setting) => {
  expect(wantsIsolation(kind, { sandbox, isAsked, setting })).toBe(isWanted);
});

it.each<[string, boolean, AgentKind, Sandbox, IsolationSetting]>([
  [
    'a program with its own sandbox, which runs without it what a person allows',
    true,
    'codex',
    'workspace-write',
    'auto',
  ],
  ['the same, where it only reads: then nothing is allowed', false, 'codex', 'read-only', 'auto'],
  ['the same with a full sandbox', false, 'codex', 'full', 'auto'],
  ['the same, where isolation is off', false, 'codex', 'workspace-write', 'off'],
  ['a script of the tests', false, 'scripted', 'workspace-write', 'auto'],
])('where a person is asked, %s: %s', (_, isWanted, kind, sandbox, setting) => {
  expect(wantsIsolation(kind, { sandbox, isAsked: true, setting, asksPerson: true })).toBe(isWanted);
});

const sandbox: ProgramSandbox = {
  root: '/home/ada/work',
  isWritable: true,
  isOffline: false,
  home: '/home/ada',
  ownHome: '/home/ada/work/.teams/t/homes/ada',
  links: [{ to: 'usr/bin', at: '/bin' }],
  lent: [{ from: '/usr', at: '/usr' }],
  shared: ['/home/ada/.claude/.credentials.json'],
  lend: { read: [], write: [] },
  repositories: [],
  kept: [
    { path: '/home/ada/work/.git' },
    { path: '/home/ada/work/.vscode', cover: 'directory' },
    { path: '/home/ada/work/.env', cover: { from: '/tmp/teams-x/cover.env' } },
  ],
  hidden: ['/home/ada/work/.teams'],
  handed: ['/home/ada/work/.teams/t/mail/1.1.task.json'],
  isRoot: false,
  inside: {},
  closing: [],
  filter: undefined,
  limiting: ['prlimit', '--nproc=4', '--'],
};
const argvOf = (changes: Partial<ProgramSandbox> = {}): string =>
  isolatedProgramArgv('bwrap', { ...sandbox, ...changes }, ['npm', 'test']).join(' ');

it('program isolation binds single paths, never the whole system', () => {
  expect(argvOf()).not.toMatch(/bind \/ /);
  expect(argvOf()).toMatch(/^bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --cap-drop ALL /);
  expect(argvOf()).toMatch(/ --remount-ro \/dev --remount-ro \/ -- \/bin\/sh -c [^]* prlimit --nproc=4 -- npm test$/);
});

it('program isolation covers the home first, then the workspace, then what is kept in it', () => {
  const argv = argvOf();
  const order = [
    `--bind ${sandbox.ownHome} /home/ada `,
    '--bind /home/ada/.claude/.credentials.json ',
    '--bind /home/ada/work /home/ada/work ',
    '--ro-bind /home/ada/work/.git ',
    '--tmpfs /home/ada/work/.vscode --remount-ro /home/ada/work/.vscode ',
    '--ro-bind /tmp/teams-x/cover.env /home/ada/work/.env ',
    '--tmpfs /home/ada/work/.teams ',
    `--bind ${sandbox.ownHome} ${sandbox.ownHome} `,
    '--ro-bind /home/ada/work/.teams/t/mail/1.1.task.json ',
    '--remount-ro /home/ada/work/.teams ',
  ].map((part) => argv.indexOf(part));
  expect(order.every((at) => at > 0)).toBe(true);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

it('program isolation gives the program of root another uid and a read-only /proc/sys', () => {
  expect(argvOf({ isRoot: true })).toMatch(/ --uid 1000 --gid 1000 .* --ro-bind \/proc\/sys \/proc\/sys /);
  expect(argvOf()).not.toContain('/proc/sys');
});

it('program isolation closes inherited files before bubblewrap starts', () => {
  expect(argvOf({ closing: ['bash', '-c', 'close'] })).toMatch(/^bash -c close bwrap /);
});
