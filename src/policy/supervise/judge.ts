/**
 * The rules of supervision (docs/specification.md R5.6): a sighting of the team → what must be done. Nothing is carried
 * out here. The rules run in one fixed order, and no two of them decide the same thing: a task gets at most one verdict
 * per look, and later rules assume earlier verdicts are done. After a crash between two verdicts the next look decides
 * the remaining ones again.
 */
import { PERSON } from '../../model/board/authority.ts';
import { allDependants, claimOf, isDone, type Board, type Member } from '../../model/board/board.ts';
import { pendingTasks, waitingForMissed } from '../../model/board/listed-tasks.ts';
import type { Name } from '../../model/text/names.ts';
import { byId, type Task } from '../../model/board/task.ts';
import { cascades } from './cascade.ts';
import { fixNeeds } from '../pipeline/fix-loop.ts';
import { improvements } from '../pipeline/improvement.ts';
import { pipelineVerdicts } from '../pipeline/pipeline-judge.ts';
import { Workload, mayBeGiven, redistribute } from './redistribution.ts';
import { restartOf } from './restart.ts';
import type { Limits, MemberSighting, Sighting, Verdict } from '../sighting.ts';
import { isAble, sightedMembers } from '../member-availability.ts';
import { stuckReason } from './stuck-reason.ts';
import { judgeProgress } from './watchdog.ts';

/** @returns the verdicts in order; empty if the lead only needs to wait for a member that works or will work */
export function judge(sighting: Sighting, limits: Limits): Verdict[] {
  const { board } = sighting;
  if (sighting.overslept) return [{ do: 'resetDeadlines', why: 'the lead itself slept' }];
  // In a pause nothing begins and nobody is judged; claims of dead processes end, so that the board stays true.
  if (board.phase === 'paused') return releases(sighting);
  if (board.phase !== 'open') return [];

  const quarantined = [...quarantines(sighting, limits), ...lifts(sighting)];
  const released = releases(sighting);
  const restarted = sightedMembers(foreseen(sighting, quarantined)).flatMap(({ seen }) => restartOf(seen) ?? []);
  const expected = foreseen(sighting, [...quarantined, ...restarted]);
  const workload = new Workload(expected);
  const watched = sightedMembers(expected).flatMap(({ seen }) => judgeProgress(board, seen, limits, workload) ?? []);
  const skipped = skips(sighting);
  const moved = redistribute(expected, workload, withDependants(sighting, skipped));

  const taken = new Set([...watched, ...moved].flatMap(givenTo));
  const followed = cascades(expected, limits, taken);

  const verdicts = [...quarantined, ...released, ...restarted, ...watched, ...skipped, ...moved, ...followed];
  verdicts.push(...pipelineVerdicts(expected));
  if (isDone(board) && followed.length === 0 && isReported(sighting)) return [{ do: 'finish' }, ...verdicts];
  return verdicts.length > 0 ? verdicts : [stuckReason(sighting) ?? []].flat();
}

/** A pipeline is finished when all its roles have reported and no round of fixes or improvements is due. */
const isReported = ({ board, members, pipeline }: Sighting): boolean =>
  pipeline === undefined ||
  (!members.some(({ name, quarantined, givenUp }) => pipeline.owing.has(name) && !quarantined && !givenUp) &&
    fixNeeds(board).every(({ kind: is }) => is === 'exhausted') &&
    improvements(board).length === 0);

/** The member that a verdict gives work to. */
const givenTo = (verdict: Verdict): Name[] => {
  const name = verdict.do === 'assign' ? verdict.owner : verdict.do === 'fence' ? verdict.heir : undefined;
  return name ? [name] : [];
};

/** After this many failed tasks in a row a member gets no new tasks. */
const quarantines = (sighting: Sighting, { maxConsecutiveErrors }: Limits): Verdict[] =>
  sightedMembers(sighting)
    .filter(({ seen }) => !seen.quarantined && seen.consecutiveFailures >= maxConsecutiveErrors)
    .map(({ member, seen }) => ({
      do: 'quarantine',
      member: member.name,
      why: `${seen.consecutiveFailures} failed tasks in a row`,
    }));

/** A person retried a task that no other member may do: its quarantined member may try it (R5.8). */
function lifts(sighting: Sighting): Verdict[] {
  const { board, pipeline } = sighting;
  const all = sightedMembers(sighting);
  const quarantined = all.filter(({ seen }) => seen.quarantined);
  if (quarantined.length === 0) return [];
  const retried = [...pendingTasks(board)].filter((task) => task.status === 'pending' && task.retried === true);
  return quarantined.flatMap(({ member }): Verdict[] => {
    const task = retried.find(
      (one) =>
        mayDo(board, one, member) && !all.some(({ member: other, seen }) => isAble(seen) && mayDo(board, one, other)),
    );
    if (task === undefined) return [];
    const why = `task #${task.id} was retried, and no other member may do it`;
    const lift = { do: 'lift' as const, member: member.name, why };
    return pipeline === undefined ? [lift, { do: 'start', member: member.name, why }] : [lift];
  });
}

/** Whoever owns it now. */
const mayDo = (board: Board, task: Task, member: Member): boolean =>
  task.owner === member.name || mayBeGiven(board, task, member);

/**
 * Releases of claims whose process is gone. The lead's own claims are not here: a new lead releases those of the one
 * before.
 */
function releases({ board, members }: Sighting): Verdict[] {
  const seen = new Map(members.map((one) => [one.name, one]));
  const running = [...board.busy.values()].flatMap((id) => board.tasks.get(id) ?? []).sort(byId);
  return running.flatMap((task): Verdict[] => {
    const claim = claimOf(task);
    if (!claim || claim.incarnation === PERSON) return [];
    const ended = { do: 'release' as const, member: claim.member, task: task.id, epoch: claim.epoch };
    const one = seen.get(claim.member);
    if (one?.process === 'dead')
      return [
        { ...ended, reason: 'lost', why: `${claim.member} died while working on it (${one.death ?? 'cause unknown'})` },
      ];
    return one?.process === 'none' ? [{ ...ended, reason: 'orphaned', why: `${claim.member} does not run` }] : [];
  });
}

/**
 * Tasks blocked by a failed or cancelled task. Dependants of a skipped task are skipped with it and not named again.
 */
function skips({ board, unattended }: Sighting): Extract<Verdict, { do: 'skip' }>[] {
  if (!unattended) return [];
  const covered = new Set<string>();
  return waitingForMissed(board).flatMap((task) => {
    if (covered.has(task.id)) return [];
    const cause = task.blockedBy.flatMap((id) => board.tasks.get(id) ?? []).find(isLostCause);
    if (!cause) return [];
    for (const { id } of allDependants(board, task.id)) covered.add(id);
    const isFailed = cause.status === 'failed';
    const why = `blocker #${cause.id} ${isFailed ? 'failed' : 'was cancelled'}`;
    return [{ do: 'skip', task: task.id, why, because: isFailed ? cause.id : undefined }];
  });
}

const isLostCause = ({ status }: Task): boolean => status === 'failed' || status === 'cancelled';

const withDependants = ({ board }: Sighting, skipped: readonly { task: string }[]): Set<string> =>
  new Set(skipped.flatMap(({ task }) => [task, ...allDependants(board, task).map(({ id }) => id)]));

/** The sighting as if these verdicts about members had been carried out. */
const foreseen = (sighting: Sighting, verdicts: readonly Verdict[]): Sighting => ({
  ...sighting,
  members: sighting.members.map((seen) =>
    verdicts.reduce(
      (one, verdict) => ('member' in verdict && verdict.member === one.name ? after(one, verdict) : one),
      seen,
    ),
  ),
});

function after(seen: MemberSighting, verdict: Verdict): MemberSighting {
  if (verdict.do === 'quarantine') return { ...seen, quarantined: true };
  if (verdict.do === 'lift') return { ...seen, quarantined: false, consecutiveFailures: 0, process: 'starting' };
  if (verdict.do === 'abandon') return { ...seen, givenUp: true };
  return verdict.do === 'restart' ? { ...seen, process: 'starting' } : seen;
}
