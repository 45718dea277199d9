/**
 * `play`: turns random numbers into events of a board, mostly legal, never only legal. Use it for property tests and
 * the golden corpus.
 *
 *     const board = emptyBoard();
 *     for (const [index, step] of steps.entries()) advance(board, eventOf(board, step, index));
 */
import fc from 'fast-check';
import type { Board } from '../../src/model/board/board.ts';
import {
  LOG_VERSION,
  RELEASE_REASONS,
  type Author,
  type BoardEvent,
  type Change,
} from '../../src/model/board/event.ts';
import { LEAD, parseName, type Name } from '../../src/model/text/names.ts';
import { ada, AT, bob, byLead, cy, life, newTask, TEAM, ulid } from './world.ts';

export interface Step {
  readonly deed: number;
  readonly who: number;
  readonly task: number;
  readonly other: number;
  readonly chance: number;
}

const small = fc.nat({ max: 11 });
export const steps = (max: number) =>
  fc.array(
    fc.record<Step>({
      deed: fc.nat({ max: 99 }),
      who: fc.nat({ max: 19 }),
      task: small,
      other: small,
      chance: fc.nat({ max: 99 }),
    }),
    {
      maxLength: max,
      size: 'max',
    },
  );

const MEMBERS = [ada, bob, cy] as const;
const ROLE = parseName('role', 'executor');
const pick = <T>(list: readonly [T, ...T[]], at: number): T => list[at % list.length] ?? list[0];

/** The event of a step, written by an author that has read this board or an older state of it. */
export function eventOf(board: Board, step: Step, number: number): BoardEvent {
  const head = { id: ulid(number), v: LOG_VERSION, at: AT };
  const author = authorOf(board, step);
  if (step.deed >= 96) {
    const changes = [0, 17, 41].map((turn) =>
      changeOf(board, { ...step, deed: (step.deed * 31 + turn) % 96, task: step.task + turn }, author, number),
    );
    return { ...head, author, type: 'batch', changes };
  }
  return { ...head, author, ...changeOf(board, step, author, number) };
}

/** The opening records of every random log. */
export const OPENING: BoardEvent[] = [
  {
    id: ulid(900_001),
    v: 1,
    at: AT,
    author: { person: LEAD, epoch: 0 },
    type: 'log.opened',
    team: ulid(7),
    name: TEAM,
  },
  { id: ulid(900_002), v: 1, at: AT, author: byLead(), type: 'lead.took', epoch: 1 },
  {
    id: ulid(900_003),
    v: 1,
    at: AT,
    author: byLead(),
    type: 'batch',
    changes: MEMBERS.map((name): Change => ({
      type: 'member.joined',
      name,
      role: ROLE,
      prefixes: name === cy ? ['DEV-FE'] : ['DEV'],
    })),
  },
];

function authorOf(board: Board, { who, other, task }: Step): Author {
  const member = pick(MEMBERS, other);
  const { epoch, incarnation } = board.lead;
  if (who < 6) return { lead: incarnation ?? ulid(1), epoch };
  if (who === 6) return { person: LEAD, epoch };
  if (who === 7) return { person: member, epoch };
  if (who === 8) return byLead(Math.max(0, epoch - 1));
  if (who === 9) return { by: member, inc: life(member, task + 1) };
  return { by: member, inc: board.members.get(member)?.incarnation ?? life(member) };
}

function changeOf(board: Board, step: Step, author: Author, number: number): Change {
  const speaker: Name = 'by' in author ? author.by : 'person' in author ? author.person : LEAD;
  const task = aim(board, step, speaker) ?? String((step.task % Math.max(1, board.lastTaskId)) + 1);
  const other = String((step.other % Math.max(1, board.lastTaskId)) + 1);
  const epoch = Math.max(0, (board.tasks.get(task)?.claims ?? 0) - (step.chance < 8 ? 1 : 0));
  return step.deed < 20
    ? teamChange(board, step, speaker, author, number)
    : taskChange(board, step, { task, other, epoch, speaker, number });
}

/** Mostly ends what is claimed, and retries what has failed. */
function aim(board: Board, { deed, chance }: Step, speaker: Name): string | undefined {
  if (chance >= 75) return undefined;
  if (deed >= 58 && deed < 79) return board.busy.get(speaker) ?? [...board.busy.values()][0];
  if (deed >= 81 && deed < 85) return [...board.tasks.values()].find(({ status }) => status === 'failed')?.id;
  return undefined;
}

function teamChange(
  board: Board,
  { deed, chance, other }: Step,
  speaker: Name,
  author: Author,
  number: number,
): Change {
  const name = chance < 80 && speaker !== LEAD ? speaker : pick(MEMBERS, other);
  const after = board.members.get(name)?.incarnation ?? null;
  if (deed < 9)
    return {
      type: 'member.started',
      name,
      inc:
        'by' in author && chance < 90 ? (author.inc === after ? life(name, number) : author.inc) : life(name, number),
      after,
    };
  if (deed < 10) return { type: 'member.left', name, why: '' };
  if (deed < 13) return { type: 'member.joined', name, role: ROLE, prefixes: chance < 50 ? ['DEV'] : [] };
  if (deed < 15) return { type: 'lead.took', epoch: board.lead.epoch + (chance < 80 ? 1 : 0) };
  if (deed < 18)
    return { type: 'team.opened', profile: 'v8', claim: pick(['auto', 'auto', 'prefix', 'assigned'], chance) };
  if (deed < 19) return { type: 'team.closing' };
  return chance < 3 ? { type: 'team.closed' } : { type: 'lead.took', epoch: board.lead.epoch + 1 };
}

interface About {
  readonly task: string;
  readonly other: string;
  readonly epoch: number;
  readonly speaker: Name;
  readonly number: number;
}

function taskChange(board: Board, step: Step, { task, other, epoch, speaker, number }: About): Change {
  const { deed, chance } = step;
  if (deed < 36) return created(board, step);
  if (deed < 58) return { type: 'task.claimed', task, member: speaker };
  if (deed < 66) return { type: 'task.completed', task, epoch, result: { summary: `${chance}`, files: [] } };
  if (deed < 72) return { type: 'task.failed', task, epoch, why: 'broke' };
  if (deed < 79)
    return { type: 'task.released', task, epoch, reason: pick([...RELEASE_REASONS, 'lost'], chance), why: '' };
  if (deed < 81) return { type: 'task.assigned', task, owner: chance < 30 ? null : pick([...MEMBERS, LEAD], chance) };
  if (deed < 83) return { type: 'task.retried', task };
  if (deed < 85) return { type: 'task.skipped', task, cascade: chance < 50, why: '' };
  if (deed < 86) return { type: 'task.cancelled', task, why: '' };
  if (deed < 91) return { type: 'task.blocked', task, by: other };
  if (deed < 92) return { type: 'task.unblocked', task, blocker: board.tasks.get(task)?.blockedBy[0] ?? other };
  if (deed < 94) return requestMade(board, step, speaker, number);
  if (deed < 95) return requestAnswered(board, step);
  const metadata = chance < 30 ? { parent: other, kind: 'test' } : { note: chance };
  return { type: 'task.updated', task, metadata, ...(chance < 50 ? { subject: `DEV-00${chance % 9} again` } : {}) };
}

/** Mostly about the claimed task. */
function requestMade(board: Board, { chance, other }: Step, speaker: Name, number: number): Change {
  const about = chance < 80 ? board.busy.get(speaker) : String(other + 1);
  const kind = chance % 3 === 0 ? 'plan' : 'question';
  return {
    type: 'request.made',
    request: ulid(number),
    kind,
    text: 'May I?',
    about,
  };
}

function requestAnswered(board: Board, { chance, other }: Step): Change {
  const asked = [...(chance < 70 ? board.open : board.requests).keys()];
  return {
    type: 'request.answered',
    request: asked[other % Math.max(1, asked.length)] ?? ulid(1),
    approve: chance < 50,
    text: 'Yes.',
  };
}

function created(board: Board, { task, other, chance }: Step): Change {
  const blockedBy = [task, other].filter((id) => id > 0 && id <= board.lastTaskId && chance < 70).map(String);
  const id = String(board.lastTaskId + (chance < 95 ? 1 : 2));
  const subject = chance < 30 ? `DEV-${chance < 10 ? 'FE-' : ''}00${chance % 10} part` : `Part ${chance}`;
  const owner = chance % 4 === 0 ? pick(MEMBERS, other) : undefined;
  const key = chance % 7 === 0 ? `k${task}` : undefined;
  const fields = newTask({ subject, blockedBy, owner, key, retries: chance % 3 });
  return { type: 'task.created', task: id, fields };
}
