/**
 * `teams doctor`: what works here and what does not, each with its cure. What can work for a team comes first. It
 * changes nothing unless an option asks for it.
 */
import process from 'node:process';
import { isTeamError } from '../../model/text/errors.ts';
import { isConfigUntrusted } from '../../store/user/config-files.ts';
import { canSeeProcesses, fileSystemTrouble, findOnPath, keyState, watchLimits } from '../../store/team/host.ts';
import { agentChecks } from './agent-doctor.ts';
import { loadConfig } from '../team/configuration.ts';
import { isolationChecks } from './isolation-doctor.ts';
import { teamChecks } from './team-doctor.ts';
import type { Check } from './doctor-check.ts';

const LEAST_WATCHERS = 128;
const LEAST_WATCHES = 8_192;

type Environment = Readonly<Record<string, string | undefined>>;

/** @param breakLocks removes left-over locks, and reports that */
export const diagnose = async (
  root: string,
  environment: Environment,
  { breakLocks = false } = {},
): Promise<Check[]> => {
  const agents = await agentChecks(root, environment);
  const machine = await machineChecks(root, environment);
  return [
    ...agents.filter(({ ok }) => ok),
    ...machine,
    ...teamChecks(root, breakLocks),
    ...agents.filter(({ ok }) => !ok),
  ];
};

const machineChecks = async (root: string, environment: Environment): Promise<Check[]> => [
  node(),
  fileSystem(root),
  program(
    'prlimit',
    environment,
    'install util-linux; without it, processes that escape are found by their environment only',
  ),
  program('git', environment, 'install git; without it there is no safety point and no `teams diff`'),
  program('bwrap', environment, 'install bubblewrap; without it commands of models are not isolated'),
  ...(await isolationChecks(environment)),
  processTable(),
  watchers(),
  key(),
  configuration(root, environment),
];

const check = (name: string, ok: boolean, found: string, cure: string): Check => ({
  name,
  ok,
  found,
  cure: ok ? '' : cure,
});

function node(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return check('node', ok, process.version, 'install Node 20.19 or newer');
}

function fileSystem(root: string): Check {
  const trouble = fileSystemTrouble(root);
  return check(
    'file system',
    trouble === undefined,
    trouble ?? `${root} takes hard links`,
    'use --root with a directory on a local disk',
  );
}

function program(name: string, { PATH = '' }: Environment, cure: string): Check {
  const found = findOnPath(name, PATH);
  return check(name, found !== undefined, found ?? 'not on PATH', cure);
}

const processTable = (): Check =>
  check(
    'processes',
    canSeeProcesses(),
    canSeeProcesses() ? 'seen with start time and boot' : 'not visible',
    'mount /proc; without it a dead process cannot be told from a living one',
  );

function watchers(): Check {
  const limits = watchLimits();
  if (limits === undefined) return check('watchers', true, 'no limit', '');
  const ok = limits.instances >= LEAST_WATCHERS && limits.watches >= LEAST_WATCHES;
  return check(
    'watchers',
    ok,
    `${limits.instances} instances, ${limits.watches} watches`,
    `raise fs.inotify.max_user_instances to ${LEAST_WATCHERS} or more; until then mail is seen within a second`,
  );
}

function key(): Check {
  const state = keyState();
  switch (state.kind) {
    case 'there':
      return check('key', true, `${state.path} is there`, '');
    case 'missing':
      return check('key', true, `${state.path} is made with the first team`, '');
    case 'damaged':
      return check(
        'key',
        false,
        `${state.path} is damaged`,
        'remove it, and trust your teams again with `teams doctor --trust TEAM`',
      );
    case 'open':
      return check('key', false, state.what, state.cure);
  }
}

function configuration(root: string, environment: Environment): Check {
  try {
    const { warnings } = loadConfig(root, environment);
    const cure = isConfigUntrusted(root)
      ? 'look at .teams/config.yaml, then run `teams doctor --trust`'
      : 'correct it where it says';
    return check('configuration', warnings.length === 0, warnings.join(' ') || 'valid', cure);
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return check('configuration', false, error.message, 'correct it where it says');
  }
}
