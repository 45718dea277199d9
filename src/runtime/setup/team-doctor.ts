/** The findings of `teams doctor` about each team of a root: its seal, its locks, its processes. */
import { relative, resolve } from 'node:path';
import { isTeamError, StoreError } from '../../model/text/errors.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { breakLocks as removeLocks, leftLocks } from '../../store/team/abandoned-locks.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { livenessIn } from '../../store/team/roster.ts';
import { openStore, type TeamStore } from '../../store/team/team-store.ts';
import { openForReading } from '../../store/team/team-reader.ts';
import { listRemains } from '../../store/team/remains.ts';
import { findTeam, listTeams } from '../../store/team/team-list.ts';
import type { TeamConfig } from '../../model/team/team-config.ts';
import type { TaskCommand } from '../../model/board/vouched-commands.ts';
import { isOwnPlan, readPlanFile } from '../../store/board/plan-record.ts';
import { isPlanTrusted, loadPlan } from '../runs/plan/kept-plan.ts';
import { trustProjectConfig } from '../../store/user/config-files.ts';
import { trustShelves } from '../../store/session/shelf.ts';
import { projectSkills } from '../../store/session/skills.ts';
import { trustFile } from '../../store/user/trust.ts';
import { realClock } from '../../os/system-clock.ts';
import { leadStatusOf } from '../views/external-status.ts';
import type { Check } from './doctor-check.ts';

export function teamChecks(root: string, breakLocks: boolean): Check[] {
  const teams = listTeams(root).filter(({ archivedAt }) => archivedAt === undefined);
  const remains = listRemains(root).map(({ name, folder }) => ({
    name: `${name}: board`,
    ok: false,
    found: `missing; ${folder} has its mail, logs and results`,
    cure: `teams delete ${name}`,
  }));
  const checks = teams.flatMap(({ name, paths }) => [
    seal(name, paths),
    locks(name, paths, breakLocks),
    leftProcesses(name, paths),
  ]);
  return [...checks, ...remains];
}

function seal(name: Name, paths: TeamPaths): Check {
  const trouble = sealTrouble(paths);
  const cure = trouble === undefined ? '' : `look at ${paths.config}, then run \`teams doctor --trust ${name}\``;
  return { name: `${name}: seal`, ok: trouble === undefined, found: trouble ?? 'yours', cure };
}

function sealTrouble(paths: TeamPaths): string | undefined {
  try {
    const store = openStore(paths, { clock: realClock });
    try {
      store.requireTrustedCommands();
      return foreignPlan(store) === undefined ? undefined : 'has a plan.json that is not the one you started';
    } finally {
      void store.close();
    }
  } catch (error) {
    if (!isTeamError(error)) throw error;
    if (error.code !== 'UNTRUSTED') return error.message;
    return 'path' in error && error.path === paths.log
      ? 'has commands that you did not give'
      : 'not made by you on this machine';
  }
}

function locks(name: Name, paths: TeamPaths, isBreaking: boolean): Check {
  const left = leftLocks(paths, realClock.now());
  if (isBreaking) removeLocks(left);
  const found = left.map(({ path, what }) => `${path} is ${what}${isBreaking ? ' (broken)' : ''}`).join('; ');
  const ok = left.length === 0 || isBreaking;
  return { name: `${name}: locks`, ok, found: found || 'none left over', cure: ok ? '' : 'teams doctor --break-lock' };
}

/** Processes that run without a lead; workers that a person started may do so. */
function leftProcesses(name: Name, paths: TeamPaths): Check {
  const store = openForReading(paths, { clock: realClock });
  try {
    const alive = store.roster
      .all()
      .filter((record) => record.name !== LEAD && record.by_hand !== true && livenessIn(record) === 'alive');
    const left = leadStatusOf(store).alive ? [] : alive;
    const found = left.map((record) => `${record.name} (pid ${record.pid ?? 'unknown'})`).join(', ');
    const ok = left.length === 0;
    return {
      name: `${name}: processes`,
      ok,
      found: found || 'none left over',
      cure: ok ? '' : `teams resume ${name}, or teams delete ${name}`,
    };
  } finally {
    store.close();
  }
}

/** What a person sees before it is trusted. */
export interface Unproved {
  /** On the board. */
  readonly commands: readonly TaskCommand[];
  /** What each tree of the team would run before and after its tasks. */
  readonly trees: readonly string[];
  /** The plan that the lead would carry out, line by line, if it is not the one that this user started. */
  readonly plan: readonly string[] | undefined;
  /**
   * What `config.json` and `state.json` start, tell agents, let them do, lend, or name outside of the project, if this
   * user did not write them.
   */
  readonly settings: readonly string[];
}

/** What a member starts with, is told and may do. */
const MEMBER_KEYS = ['agent', 'env', 'sandbox', 'approvals', 'prompt', 'role_spec'] as const;
const TEAM_KEYS = ['env_pass', 'lend', 'approvals', 'allowed', 'requirement'] as const;

function foreignSettings({ config, state, paths }: TeamStore): string[] {
  const team: Partial<TeamConfig> = (config.isSealed() ? undefined : config.read()) ?? {};
  const { members = [], subagents = [], cwd } = team;
  const { start } = (state.isSealed() ? undefined : state.read()) ?? {};
  const said = (what: string, value: unknown): string[] =>
    value === undefined ? [] : [`${what}: ${JSON.stringify(value)}`];
  const elsewhere = (path: string | undefined): string | undefined =>
    path === undefined || !relative(paths.root, resolve(paths.root, path)).startsWith('..') ? undefined : path;
  return [
    ...members.flatMap((member) => MEMBER_KEYS.flatMap((key) => said(`${key} of ${member.name}`, member[key]))),
    ...subagents.flatMap((agent) => said('agent of subagents', agent)),
    ...TEAM_KEYS.flatMap((key) => said(key, team[key])),
    ...said('cwd', elsewhere(cwd)),
    ...said('repository of undo', elsewhere(start?.directory)),
    ...said('git of undo', elsewhere(start?.git?.directory)),
  ];
}

/** Of a config that does not carry this user's seal. */
function foreignTreeCommands({ config }: TeamStore): string[] {
  const { setup = [], teardown = [] } = config.read()?.trees ?? {};
  return config.isSealed() ? [] : [...setup, ...teardown];
}

/** The lines of a plan that is not this user's own; undefined if it is, or there is none. */
function foreignPlan(store: TeamStore): string[] | undefined {
  const kept = readPlanFile(store.disk, store.paths);
  if (kept === undefined || isOwnPlan(store) || isKnown(store)) return undefined;
  const { text, agent, reviewer } = kept;
  return [...text.trimEnd().split('\n'), ...(agent || reviewer ? [JSON.stringify({ agent, reviewer })] : [])];
}

function isKnown(store: TeamStore): boolean {
  try {
    const plan = loadPlan(store);
    return plan !== undefined && isPlanTrusted(store, plan);
  } catch (error) {
    // A plan of an earlier version whose agents are configured elsewhere: who trusts it sees it whole.
    if (isTeamError(error)) return false;
    throw error;
  }
}

/**
 * Seals a team's folder as this user's own, in its present state, and vouches for its plan and the commands on its board.
 *
 * @param agrees asked with what this user did not give, if there is anything
 * @returns false if the user did not agree; then nothing is trusted
 * @throws StoreError `TEAM_GONE`
 */
export async function trustTeam(
  root: string,
  name: Name,
  agrees: (unproved: Unproved) => Promise<boolean>,
): Promise<boolean> {
  const team = findTeam(root, name);
  if (team?.archivedAt !== undefined || team === undefined)
    throw new StoreError('TEAM_GONE', `There is no team ${name} under ${root}.`);
  const store = openStore(team.paths, { clock: realClock });
  try {
    store.board.fold();
    const seen = { plan: store.plan.text(), config: store.config.text(), state: store.state.text() };
    const commands = store.commands.untrusted('all');
    const plan = foreignPlan(store);
    const trees = foreignTreeCommands(store);
    const settings = foreignSettings(store);
    const isOwn = commands.length + trees.length + settings.length === 0 && plan === undefined;
    if (!isOwn && !(await agrees({ commands, trees, plan, settings }))) return false;
    store.commands.trust(commands);
    await store.plan.adopt(seen.plan);
    await store.config.adopt(seen.config);
    await store.state.adopt(seen.state);
    store.events.append({ type: 'team.trusted' });
    return true;
  } finally {
    await store.close();
  }
}

/**
 * Trusts `.teams/config.yaml`, and the project's own roles, pipelines, templates and skills, in their present state.
 *
 * @throws StoreError if none of them exists
 */
export function trustProject(root: string): void {
  const config = trustProjectConfig(root);
  const shelved = trustShelves(root);
  const skills = projectSkills(root);
  for (const { file, text } of skills) trustFile(file, text);
  if (!config && shelved + skills.length === 0)
    throw new StoreError(
      'IO',
      `There is no .teams/config.yaml under ${root} to trust, and no role, pipeline, template or skill.`,
    );
}
