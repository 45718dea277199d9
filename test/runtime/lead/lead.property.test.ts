/**
 * For any sequence of events in a team with a real lead: no task is lost, none has two claimants, and the loop ends:
 * done, or with what it waits for. `test/policy/supervise/judge.property.test.ts` checks the same of the policies
 * alone, a hundred times as often.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextClaim } from '../../../src/model/board/listed-tasks.ts';
import type { Change } from '../../../src/model/board/event.ts';
import { isFinal } from '../../../src/model/board/task.ts';
import { Stage } from '../../support/stage.ts';
import { name } from '../../support/team.ts';
import type { ToldTeam } from '../../support/told-team.ts';

const MEMBERS = ['worker-1', 'worker-2', 'worker-10'] as const;
const CAST = { 'worker-1': 'executor/claude', 'worker-2': 'executor/codex', 'worker-10': 'code-reviewer/claude' };
const STEP_S = 20;
/** Steps in which the survivors must bring it to an end; a hung one takes 30 of them. */
const MOST_STEPS = 400;

const FATES = ['claim', 'claim', 'complete', 'complete', 'fail', 'die', 'freeze', 'thaw', 'crash', 'heal'] as const;
type Fate = (typeof FATES)[number];

const nature = fc.constantFrom<Fate>('complete', 'fail', 'die');

const plays = fc.record({
  unattended: fc.boolean(),
  tasks: fc.array(
    fc.record({
      verb: fc.constantFrom('Implement', 'Review', 'Move'),
      owner: fc.constantFrom(...MEMBERS),
      blockedBy: fc.array(fc.nat(), { maxLength: 2 }),
      retries: fc.nat({ max: 2 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  fates: fc.array(fc.tuple(fc.constantFrom(...MEMBERS), fc.constantFrom(...FATES)), { maxLength: 40 }),
  slept: fc.nat({ max: 40 }),
  /** How each member's work ends. */
  natures: fc.tuple(nature, nature, nature),
});

it(
  'the lead loses no task, gives none to two members, and ends done or says why not',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(plays, async ({ unattended, tasks, fates, slept, natures }) => {
        const stage = new Stage(CAST, { unattended }, (told) => {
          for (const [at, { verb, owner, retries, blockedBy }] of tasks.entries()) {
            const ids = at === 0 ? [] : [...new Set(blockedBy.map((id) => String((id % at) + 1)))];
            told.add(`${verb} part ${at}`, { owner, retries, blockedBy: ids });
          }
        });
        await stage.begin();
        for (const [at, [member, fate]] of fates.entries()) {
          if (stage.isOver()) break;
          await meet(stage, member, fate);
          if (at === slept) await stage.sleep(3_600);
          await stage.pass(STEP_S, STEP_S);
        }
        await survive(stage, natures);
        expectSound(stage.told, tasks.length);
        expect(endOf(stage)).toBe('');
        await stage.close();
      }),
      { numRuns: 12 },
    );
  },
);

async function meet(stage: Stage, member: string, fate: Fate): Promise<void> {
  if (fate === 'crash') stage.crashing.set(member, 'exit 1');
  if (fate === 'heal') stage.crashing.delete(member);
  if (!stage.isAlive(member)) return;
  if (fate === 'freeze') stage.frozen.add(member);
  if (fate === 'thaw') stage.frozen.delete(member);
  if (fate === 'die' || fate === 'crash') await stage.now(() => stage.dies(member));
  if (fate === 'claim' || fate === 'complete' || fate === 'fail') await stage.now((told) => work(told, member, fate));
}

/** What a member's process would do by itself. It asks the board first, so no event is refused. */
function work(told: ToldTeam, member: string, deed: 'claim' | 'complete' | 'fail'): void {
  const board = told.store.board.fold();
  const busy = board.busy.get(name(member));
  const next = busy === undefined ? nextClaim(board, name(member)) : undefined;
  if (deed === 'claim' && next) told.claim(next.id, member);
  if (deed === 'complete' && busy !== undefined) told.complete(busy, member);
  if (deed === 'fail' && busy !== undefined) told.fail(busy, member, 'it broke');
}

/** Running members that are not frozen go on as their fate says, until the loop ends. */
async function survive(stage: Stage, natures: readonly Fate[]): Promise<void> {
  for (let steps = 0; steps < MOST_STEPS && !stage.isOver(); steps += 1) {
    for (const [at, member] of MEMBERS.entries())
      for (const fate of ['claim', natures[at] ?? 'complete'] as const) {
        if (stage.isOver()) return;
        if (!stage.frozen.has(member) && (fate === 'claim' || isBusy(stage, member))) await meet(stage, member, fate);
      }
    await stage.pass(STEP_S, STEP_S);
  }
}

const isBusy = ({ told }: Stage, member: string): boolean => told.store.board.fold().busy.has(name(member));

/** Checked from the log itself, without the board's code. */
function expectSound({ store }: ToldTeam, tasks: number): void {
  const holder = new Map<string, string>();
  const completed: string[] = [];
  const follow = (change: Change): void => {
    if (change.type === 'task.claimed') {
      expect(holder.get(change.task), `holder of #${change.task} when ${change.member} claims it`).toBeUndefined();
      holder.set(change.task, change.member);
    } else if (change.type === 'member.started') {
      for (const [task, member] of holder) if (member === change.name) holder.delete(task);
    } else if ('task' in change && change.type !== 'task.assigned') holder.delete(change.task);
    if (change.type === 'task.completed') completed.push(change.task);
  };
  for (const { event, outcome } of store.board.log.history())
    if (outcome.ok) for (const change of event.type === 'batch' ? event.changes : [event]) follow(change);
  expect(completed).toEqual([...new Set(completed)]);
  expect([...store.board.fold().tasks.keys()]).toEqual(Array.from({ length: tasks }, (_, at) => String(at + 1)));
}

/** What is wrong with the end; empty if the run is done or said what is missing. */
function endOf({ ending, told }: Stage): string {
  const open = [...told.store.board.fold().tasks.values()].filter((task) => !isFinal(task));
  if (ending?.why === 'finished') return open.map(({ id }) => `#${id} is open`).join();
  if (ending?.why !== 'stuck') return 'it has not ended';
  return open.some(({ id }) => ending.what.includes(`task #${id} `)) ? '' : `stuck without a task: ${ending.what}`;
}
