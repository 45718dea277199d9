/**
 * What exists under the name of a new run, and what to do with it (docs/specification.md R5.16). By itself a run
 * resumes only a team that is unfinished, has no lead and has the same plan. The options `--resume`, `--fresh` and
 * `--takeover` allow more.
 */
import type { AgentSpec } from '../../model/agent/agent.ts';
import { ConflictError, isTeamError, type StoreError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import { dayAndTime } from '../../model/team/colors-and-times.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { readPlanFile } from '../../store/board/plan-record.ts';
import { openForReading, stateIn, type TeamReader } from '../../store/team/team-reader.ts';
import { findTeam, listTeams } from '../../store/team/team-list.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { realClock } from '../../os/system-clock.ts';
import { loadPlan } from './plan/kept-plan.ts';
import { leadStatusOf, type LeadStatus } from '../views/external-status.ts';

type ExistingRun =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'led'; readonly paths: TeamPaths; readonly lead: LeadStatus }
  /** Made by hand: it has no plan. */
  | { readonly kind: 'unplanned'; readonly paths: TeamPaths }
  /** Its plan cannot be read. */
  | { readonly kind: 'damaged'; readonly paths: TeamPaths; readonly error: StoreError }
  | { readonly kind: 'finished'; readonly paths: TeamPaths }
  | { readonly kind: 'unfinished'; readonly paths: TeamPaths; readonly isSamePlan: boolean };

type StartPreference = 'resume' | 'fresh' | undefined;

/** What to do with the existing team. */
export type StartDecision = { readonly do: 'make' } | { readonly do: 'replace' | 'resume'; readonly paths: TeamPaths };

/** @param same whether the plan of the existing team is the plan of the new run */
export function inspectExistingRun(
  root: string,
  name: Name,
  same: (kept: Plan) => boolean,
  agents: ReadonlyMap<string, AgentSpec>,
): ExistingRun {
  const team = findTeam(root, name);
  if (team === undefined || team.archivedAt !== undefined) return { kind: 'nothing' };
  const { paths } = team;
  const store = openForReading(paths, { clock: realClock });
  try {
    const lead = leadStatusOf(store);
    if (lead.alive) return { kind: 'led', paths, lead };
    if (readPlanFile(store.disk, paths) === undefined) return { kind: 'unplanned', paths };
    if (stateIn(store)?.phase === 'complete' || store.board.fold().phase === 'closed')
      return { kind: 'finished', paths };
    return { kind: 'unfinished', paths, isSamePlan: isSame(same, () => loadPlan(store, agents)) };
  } catch (error) {
    if (isTeamError(error) && 'path' in error && error.path === paths.plan) return { kind: 'damaged', paths, error };
    throw error;
  } finally {
    store.close();
  }
}

function isSame(same: (kept: Plan) => boolean, load: () => Plan | undefined): boolean {
  try {
    const kept = load();
    return kept !== undefined && same(kept);
  } catch (error) {
    if (!isTeamError(error) || error.code !== 'PLAN_INVALID') throw error;
    // A plan that an earlier configuration accepted and this one does not counts as another plan.
    return false;
  }
}

/**
 * @param takeover a living lead may be replaced
 * @throws ConflictError `LEAD_ALIVE`, `TEAM_EXISTS` with the possible options
 */
export function decideStart(
  name: Name,
  existing: ExistingRun,
  asked: StartPreference,
  takeover: boolean,
): StartDecision {
  switch (existing.kind) {
    case 'nothing':
      return { do: 'make' };
    case 'led':
      if (takeover) return { do: asked === 'fresh' ? 'replace' : 'resume', paths: existing.paths };
      throw ledBy(name, existing.lead);
    case 'finished':
      return { do: asked === 'resume' ? 'resume' : 'replace', paths: existing.paths };
    case 'unplanned':
      if (asked === 'fresh') return { do: 'replace', paths: existing.paths };
      throw new ConflictError(
        'TEAM_EXISTS',
        `Team ${name} exists and was not made from a plan; --fresh archives it, --name runs this plan under another name.`,
      );
    case 'damaged':
      if (asked === 'fresh') return { do: 'replace', paths: existing.paths };
      throw existing.error;
    case 'unfinished':
      if (asked !== undefined || existing.isSamePlan)
        return { do: asked === 'fresh' ? 'replace' : 'resume', paths: existing.paths };
      throw new ConflictError(
        'TEAM_EXISTS',
        `Team ${name} is unfinished and has another plan; --resume continues that plan, --fresh archives the team and starts this plan.`,
      );
    default:
      return existing satisfies never;
  }
}

const ledBy = (name: Name, { pid, since }: LeadStatus): ConflictError =>
  new ConflictError(
    'LEAD_ALIVE',
    `Team ${name} is led by pid ${pid ?? 'unknown'} since ${dayAndTime(since ?? '')}; \`--takeover\` replaces it.`,
  );

const GENERATED = /^forge-team-\d+$/;

/** Whether the name was generated. Such a team is archived when it is finished, because no user asks for it by name. */
export const isGenerated = (name: Name): boolean => GENERATED.test(name);

/**
 * Other unfinished runs under this root without a lead. A run with a generated name counts as finished only when it is
 * archived, because its report may not have been shown.
 */
export const abandonedRuns = (root: string, except?: Name): Name[] =>
  inOthers(root, except, (store, name) => {
    const state = stateIn(store);
    const isOver = state?.phase === 'complete' && !(isGenerated(name) && store.board.fold().phase !== 'closed');
    return state && !isOver && !leadStatusOf(store).alive ? [name] : [];
  });

interface OtherWriter {
  readonly name: Name;
  readonly pid: number | null;
}

/** Other teams under this root that are led now, whose members write into the same files as those of this team. */
export function otherWriters({ root, name }: TeamPaths): OtherWriter[] {
  const writers = inOthers(root, undefined, (store, other) => {
    if (store.config.read()?.isolation === 'trees') return [];
    const { alive, pid } = leadStatusOf(store);
    return alive || other === name ? [{ name: other, pid }] : [];
  });
  // A team whose members have trees of their own changes no file that others read.
  return writers.some((one) => one.name === name) ? writers.filter((one) => one.name !== name) : [];
}

function inOthers<T>(root: string, except: Name | undefined, look: (store: TeamReader, name: Name) => T[]): T[] {
  const active = listTeams(root).filter(({ name, archivedAt }) => archivedAt === undefined && name !== except);
  return active.flatMap(({ name, paths }) => {
    try {
      const store = openForReading(paths, { clock: realClock });
      try {
        return look(store, name);
      } finally {
        store.close();
      }
    } catch (error) {
      // A damaged team does not hold others up; `teams list` names it.
      if (isTeamError(error)) return [];
      throw error;
    }
  });
}
