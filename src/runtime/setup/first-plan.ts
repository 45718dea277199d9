/** The plan that `teams init` writes: what the project's own files say how to build, test and lint it. */
import process from 'node:process';
import { basename, join, resolve } from 'node:path';
import { defined } from '../../model/text/defined.ts';
import { parseName } from '../../model/text/names.ts';
import { slug } from '../../model/text/slug.ts';
import { findProgram } from '../../os/program-path.ts';
import { detectCommand } from '../../store/workspace/detect-command.ts';
import { lookAt, realDisk } from '../../store/files/disk.ts';

/** The plan that `teams run` runs without arguments. */
export const OWN_PLAN = 'teams.yaml';

export const hasOwnPlan = (directory: string): boolean => lookAt(realDisk, join(directory, OWN_PLAN)) !== undefined;

interface FirstTask {
  readonly key: string;
  readonly subject: string;
  readonly run: string;
  readonly blockedBy?: string;
}

interface FirstTasks {
  /** What the project can do with the programs of this machine; one example if nothing is known. */
  readonly tasks: readonly FirstTask[];
  /** Commands of the project whose program is not on the PATH. */
  readonly leftOut: readonly string[];
}

export function firstTasks(root: string): FirstTasks {
  const install = installCommand(root);
  const known: FirstTask[] = [];
  const leftOut: string[] = [];
  for (const key of ['build', 'test', 'lint'] as const) {
    const command = detectCommand(realDisk, root, key);
    const run = runnable(command);
    if (command !== undefined && run === undefined) leftOut.push(command);
    const isBuilt = key === 'test' && known.some((task) => task.key === 'build');
    const blockedBy = isBuilt ? 'build' : install && 'install';
    if (run !== undefined) known.push({ key, subject: SUBJECTS[key], run, ...defined({ blockedBy }) });
  }
  if (known.length === 0) known.push({ key: 'hello', subject: 'Say hello', run: 'echo hello from $TEAMS_MEMBER' });
  else if (install !== undefined) known.unshift({ key: 'install', subject: 'Install the packages', run: install });
  return { tasks: known, leftOut };
}

/** What the project's own files say how to build, test and lint it, with the programs of this machine. */
export const ownCommands = (root: string): string[] =>
  firstTasks(root).tasks.flatMap(({ key, run }) => (key === 'hello' ? [] : run));

const SUBJECTS = { build: 'Build the project', test: 'Run the tests', lint: 'Run the linter' };

/** The packages of a project that were not installed yet. */
function installCommand(root: string): string | undefined {
  const has = (file: string): boolean => lookAt(realDisk, join(root, file)) !== undefined;
  if (!has('package.json') || has('node_modules')) return undefined;
  return runnable(has('package-lock.json') ? 'npm ci' : 'npm install');
}

/** A command whose program is installed; the compiler of a package is found by npx. */
function runnable(command: string | undefined): string | undefined {
  if (command === undefined) return undefined;
  const [program = ''] = command.split(' ', 1);
  if (program === 'tsc') return runnable(`npx ${command}`);
  return findProgram(program, process.env['PATH'] ?? '') === undefined ? undefined : command;
}

/** The text of the plan. */
export function firstPlan(root: string): string {
  const { tasks } = firstTasks(root);
  return [
    '# The plan of this project: `teams run` runs it, `teams validate` checks it. It can be committed.',
    '# A member may also be a coding agent, `agent: { kind: claude }`; its tasks have a `description:` instead of `run:`.',
    `name: ${slug(basename(resolve(root)), parseName('team', 'project'))}`,
    'members:',
    '  - { name: ada, agent: { kind: exec } }',
    '  - { name: bob, agent: { kind: exec } }',
    'tasks:',
    ...tasks.flatMap(({ key, subject, run, blockedBy }) => [
      `  - key: ${key}`,
      `    subject: ${subject}`,
      ...(blockedBy === undefined ? [] : [`    blockedBy: [${blockedBy}]`]),
      `    run: ${run}`,
    ]),
    '',
  ].join('\n');
}
