/**
 * Variables of a plan may lead into the workspace, where a member in a sandbox writes what they name. The programs that
 * judge, isolate and watch its work run as the user: none of them loads that.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Workplace } from '../support/cli.ts';

let base: string;
let outside: string;
let place: Workplace;
let project: string;

beforeEach(() => {
  base = mkdtempSync(join(realpathSync(homedir()), '.variables-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  outside = join(base, 'outside');
  place = new Workplace();
  project = join(place.root, 'project');
});

const PROGRAMS = [
  'sh',
  'bash',
  'bwrap',
  'prlimit',
  'env',
  'git',
  'node',
  'setsid',
  'cat',
  'true',
  'npm',
  'teams',
  'ps',
];

/** What the member plants: programs, a file for shells, a module for Node; each writes outside, if it may. */
const plant = (): string => {
  const fire = `echo "$0" >>${outside}`;
  return [
    'mkdir -p bin',
    `printf '%s\\n' '#!/bin/dash' '( ${fire} ) 2>/dev/null' 'n=$(/usr/bin/basename "$0")' 'for d in /usr/local/bin /usr/bin /bin; do [ -x $d/$n ] && exec $d/$n "$@"; done' >bin/one`,
    'chmod +x bin/one',
    `for p in ${PROGRAMS.join(' ')}; do cp bin/one bin/$p; done`,
    `printf '%s\\n' '( echo file >>${outside} ) 2>/dev/null' >shell.sh`,
    `printf '%s\\n' 'try { require("fs").appendFileSync("${outside}", "node\\\\n") } catch {}' >trap.cjs`,
  ].join('; ');
};

const variables = (): Record<string, string> => ({
  PATH: `${project}/bin:bin:${process.env['PATH'] ?? ''}`,
  BASH_ENV: `${project}/shell.sh`,
  ENV: `${project}/shell.sh`,
  NODE_OPTIONS: `--require ${project}/trap.cjs`,
  NODE_PATH: project,
  SHELLOPTS: 'xtrace',
  PS4: `$(. ${project}/shell.sh)+ `,
  GIT_EXEC_PATH: `${project}/bin`,
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.fsmonitor',
  GIT_CONFIG_VALUE_0: `${project}/bin/one`,
  GIT_SSH_COMMAND: `${project}/bin/one`,
  GIT_EXTERNAL_DIFF: `${project}/bin/one`,
  npm_config_script_shell: `${project}/bin/sh`,
  npm_config_node_options: `--require ${project}/trap.cjs`,
  SHELL: `${project}/bin/sh`,
  TEAMS_HOME: project,
  TEAMS_CONFIG: `${project}/config.yaml`,
});

const WORK = 'git --version && node -e 0 && cat plan.json >/dev/null';

interface Where {
  readonly user?: Readonly<Record<string, string>>;
  readonly member?: object;
  readonly task?: object;
}

/** @returns what ran with the rights of the user */
async function ran({ user = {}, member = {}, task = {} }: Where): Promise<string> {
  const plan = {
    name: 'vars',
    members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'workspace-write', ...member }],
    tasks: [
      { key: 'a', subject: 'Plant', owner: 'ada', run: plant() },
      { key: 'b', subject: 'Work', owner: 'ada', run: WORK, verify: [WORK], blockedBy: ['a'], ...task },
    ],
    gates: { test: WORK },
  };
  place.put('project/plan.json', JSON.stringify(plan));
  execFileSync('git', ['init', '-q'], { cwd: project });
  const environment = { ...place.environment, ...user };
  const { code, err } = await place.say(['run', 'plan.json'], { cwd: project, environment });
  expect(code, err).toBe(0);
  expect(existsSync(join(project, 'trap.cjs'))).toBe(true);
  return existsSync(outside) ? readFileSync(outside, 'utf8') : '';
}

it.each<[string, (env: Readonly<Record<string, string>>) => Where]>([
  ['a member', (env) => ({ member: { env } })],
  ['a task', (env) => ({ task: { env } })],
  // Node of ours obeys NODE_OPTIONS of the user: it is the user's word.
  ['the user', (env) => ({ user: { ...env, NODE_OPTIONS: '', SHELLOPTS: '' } })],
])('variables of %s lead no program of ours into the workspace', { timeout: 60_000 }, async (_, where) => {
  expect(await ran(where(variables()))).toBe('');
});

it('what a member planted would write outside, if it ran there', { timeout: 60_000 }, async () => {
  expect(await ran({ member: { env: variables(), sandbox: 'full' } })).toContain('node');
});
