/**
 * What a lead does for a pipeline besides supervision. It starts a member that has ready work and no process, asks a
 * person at a checkpoint, and sends faulty work back.
 */
import { PERSON } from '../../model/board/authority.ts';
import { claimOf, isReady, type Board } from '../../model/board/board.ts';
import { pendingTasks } from '../../model/board/listed-tasks.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { isCheckpoint, type Task } from '../../model/board/task.ts';
import { unattendedWork } from './fast-advance.ts';
import { fixNeeds, type FixNeed } from './fix-loop.ts';
import { improvements } from './improvement.ts';
import type { MemberSighting, PipelineSighting, Sighting, Verdict } from '../sighting.ts';

export function pipelineVerdicts(sighting: Sighting): Verdict[] {
  const { board, pipeline } = sighting;
  if (pipeline === undefined) return [];
  const needs = fixNeeds(board);
  const due = needs.flatMap((need): Verdict[] => {
    const code = need.task.subject;
    if (need.kind === 'awaited') return [];
    if (need.kind === 'due') return [{ do: 'redo', task: need.task.id, why: `${code}: it needs a fix` }];
    const why = `${code}: it still needs a fix after the last round; a person must look at it`;
    return pipeline.told.has(need.task.id) ? [] : [{ do: 'tell', task: need.task.id, what: 'fix.exhausted', why }];
  });
  const better = improvements(board).map(({ task }): Verdict => {
    return { do: 'improve', task: task.id, why: `${task.subject}: it named improvements that do not block` };
  });
  const held = new Set(needs.flatMap((need) => heldBy(need)));
  return [...due, ...better, ...checkpoints(board, pipeline), ...starts(sighting, pipeline, held)];
}

const checkpoints = (board: Board, { told, passesCheckpoints }: PipelineSighting): Verdict[] =>
  [...pendingTasks(board)].flatMap((task): Verdict[] => {
    if (!isCheckpoint(task) || !isReady(board, task)) return [];
    if (passesCheckpoints) return [{ do: 'pass', task: task.id, why: 'passed by --yes' }];
    return told.has(task.id) ? [] : [{ do: 'tell', task: task.id, what: 'checkpoint.reached', why: asks(board, task) }];
  });

const asks = ({ team }: Board, { id, subject }: Task): string => {
  const place = team === undefined ? id : `${team.name} ${id}`;
  return `${subject}: a person is asked. \`teams task approve ${place}\` continues, \`teams task refuse ${place}\` ends it here`;
};

/** Finished tests of a round that is due or awaited. */
const heldBy = (need: FixNeed): string[] => {
  if (need.kind === 'exhausted') return [];
  return need.kind === 'due' ? need.tests.map(({ id }) => id) : [need.task.id];
};

/** @param held finished tasks that will be done again: tasks behind them keep waiting */
function starts({ board, members }: Sighting, { owing }: PipelineSighting, held: ReadonlySet<string>): Verdict[] {
  const seen = new Map(members.map((one) => [one.name, one]));
  const living = new Set([...owing].filter((name) => isLiving(seen.get(name))));
  const found = new Map<Name, string>(
    [...unattendedWork(board, living)]
      .filter(([, task]) => !task.blockedBy.some((id) => held.has(id)))
      .map(([name, { subject }]) => [name, `${subject} is ready`]),
  );
  // A task in progress whose process died with the lead: a new process of its member continues it.
  for (const [name, id] of board.busy) {
    const task = board.tasks.get(id);
    const isProcess = task && claimOf(task)?.incarnation !== PERSON;
    if (name !== LEAD && isProcess) found.set(name, `${task.subject} is its task in progress`);
  }
  for (const name of owing) if (!found.has(name)) found.set(name, 'it has not reported its finished work yet');
  return [...found].flatMap(([member, why]): Verdict[] =>
    isAbsent(seen.get(member)) ? [{ do: 'start', member, why }] : [],
  );
}

const isLiving = (seen: MemberSighting | undefined): boolean =>
  seen?.process === 'alive' || seen?.process === 'starting';

const isAbsent = (seen: MemberSighting | undefined): boolean =>
  seen === undefined || (seen.process === 'none' && !seen.quarantined && !seen.givenUp && !seen.byHand);
