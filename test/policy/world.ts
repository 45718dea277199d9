/**
 * `World` of the policies: a board that the product's own fold makes from a sketch, and sightings that a test writes
 * down. Use it for policies as tables (test/policy/).
 *
 *     const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }] });
 *     judge(sighting(team, [seen('ada', { process: 'dead' }), seen('bob')]), LIMITS);
 */
import { advance, type AdvanceOutcome } from '../../src/model/board/advance.ts';
import { emptyBoard, type Board } from '../../src/model/board/board.ts';
import { LOG_VERSION, type Author, type Change, type ClaimMode, type Profile } from '../../src/model/board/event.ts';
import { timestamp } from '../../src/model/text/clock.ts';
import { LEAD, parseName, type Name } from '../../src/model/text/names.ts';
import { factsOf, type Fact, type ShownEvent } from '../../src/model/team/shown-event.ts';
import { newTaskSchema, type NewTaskInput, type Task } from '../../src/model/board/task.ts';
import type { FollowUp, Limits, MemberSighting, Sighting, Verdict } from '../../src/policy/sighting.ts';

export const name = (text: string): Name => (text === 'lead' ? LEAD : parseName('member', text));

export const MINUTE = 60_000;

export const LIMITS: Limits = {
  watchdogWarningMs: 5 * MINUTE,
  watchdogReassignMs: 10 * MINUTE,
  maxConsecutiveErrors: 3,
  maxAgents: 5,
};

export interface TaskSketch extends Omit<NewTaskInput, 'subject' | 'owner' | 'role'> {
  readonly subject?: string;
  readonly owner?: string | undefined;
  readonly role?: string | undefined;
}

export interface TeamSketch {
  readonly profile?: Profile;
  readonly claim?: ClaimMode;
  /** `ada`, `ada:designer`, or `ada:analyst:RESEARCH`. */
  readonly members?: readonly string[];
  readonly tasks?: readonly TaskSketch[] | undefined;
}

/** A board, and the methods that write its log. */
export class World {
  readonly board: Board = emptyBoard();
  /** The facts that views get. */
  readonly shown: ShownEvent[] = [];
  /** Milliseconds since 1970. */
  now = Date.parse('2026-01-01T00:00:00.000Z');
  readonly #incarnations = new Map<string, string>();
  #ids = 0;

  constructor({ profile = 'forge', claim = 'assigned', members = [], tasks = [] }: TeamSketch = {}) {
    this.lead({ type: 'log.opened', team: this.#ulid(), name: name('alpha') });
    this.takeLead();
    this.lead({ type: 'team.opened', profile, claim });
    for (const member of members) this.join(member);
    for (const task of tasks) this.add(task);
  }

  takeLead(): void {
    const lead = this.#ulid();
    this.write({ type: 'lead.took', epoch: this.board.lead.epoch + 1 }, { lead, epoch: this.board.lead.epoch + 1 });
  }

  join(sketch: string): void {
    const [member = '', role = 'executor', ...prefixes] = sketch.split(':');
    this.lead({ type: 'member.joined', name: name(member), role: name(role), prefixes });
    this.start(member);
  }

  start(member: string): void {
    const inc = this.#ulid();
    const after = this.board.members.get(name(member))?.incarnation ?? null;
    this.write({ type: 'member.started', name: name(member), inc, after }, { by: name(member), inc });
    this.#incarnations.set(member, inc);
  }

  add({ subject, owner, role, ...rest }: TaskSketch): Task {
    const id = String(this.board.lastTaskId + 1);
    const fields = newTaskSchema.parse({ subject: subject ?? `Task ${id}`, ...rest });
    const roles = {
      owner: owner === undefined ? undefined : name(owner),
      role: role === undefined ? undefined : name(role),
    };
    this.lead({ type: 'task.created', task: id, fields: { ...fields, ...roles } });
    return this.task(id);
  }

  task(id: string): Task {
    const task = this.board.tasks.get(id);
    if (!task) throw new Error(`no task #${id}`);
    return task;
  }

  epoch(id: string): number {
    return this.task(id).claims;
  }

  claim(member: string, task: string): void {
    this.member(member, { type: 'task.claimed', task, member: name(member) });
  }

  complete(member: string, task: string): void {
    this.member(member, {
      type: 'task.completed',
      task,
      epoch: this.epoch(task),
      result: { summary: 'done', files: [] },
    });
  }

  fail(member: string, task: string): void {
    this.member(member, { type: 'task.failed', task, epoch: this.epoch(task), why: 'it broke' });
  }

  /** Claims and fails: one failed attempt. */
  attempt(member: string, task: string): void {
    this.claim(member, task);
    this.fail(member, task);
  }

  person(change: Change): void {
    this.write(change, { person: LEAD, epoch: this.board.lead.epoch });
  }

  member(member: string, change: Change): void {
    this.write(change, { by: name(member), inc: this.#incarnations.get(member) ?? '' });
  }

  lead(change: Change): void {
    const outcome = this.tell(change);
    if (!outcome.ok) throw new Error(`${change.type}: ${outcome.why}`);
  }

  /** Appends a change of the lead; the fold may refuse it. */
  tell(change: Change): AdvanceOutcome {
    const { epoch, incarnation } = this.board.lead;
    return this.#advance(change, incarnation === null ? { person: LEAD, epoch: 0 } : { lead: incarnation, epoch });
  }

  write(change: Change, author: Author): void {
    const outcome = this.#advance(change, author);
    if (!outcome.ok) throw new Error(`${change.type}: ${outcome.why}`);
  }

  #advance(change: Change, author: Author): AdvanceOutcome {
    const at = timestamp(this.now);
    const event = { ...change, id: this.#ulid(), v: LOG_VERSION, at, author };
    const outcome = advance(this.board, event);
    if (outcome.ok) for (const fact of factsOf(event, this.board)) this.#show(fact);
    return outcome;
  }

  /** Adds a fact to the event log. */
  note(
    type: `${'agent' | 'lead' | 'member' | 'message'}.${string}`,
    fact: Readonly<Record<string, unknown>> = {},
  ): void {
    this.#show({ ...fact, type, at: timestamp(this.now) });
  }

  #show(fact: Fact): void {
    this.shown.push({ ...fact, number: this.shown.length + 1 });
  }

  #ulid(): string {
    this.#ids += 1;
    return String(this.#ids).padStart(26, '0');
  }
}

export const world = (sketch: TeamSketch = {}): World => new World(sketch);

/** A healthy member: alive for ten minutes, with a fresh heartbeat and fresh progress. */
export const seen = (member: string, rest: Partial<Omit<MemberSighting, 'name'>> = {}): MemberSighting => ({
  name: name(member),
  byHand: false,
  process: 'alive',
  deadFor: 0,
  startingFor: 0,
  aliveFor: 10 * MINUTE,
  beatAge: 500,
  progressAge: 500,
  answered: false,
  restarts: 0,
  consecutiveFailures: 0,
  quarantined: false,
  givenUp: false,
  unfit: false,
  boundedByTimeout: false,
  needsCommand: false,
  completed: 0,
  workedMs: 0,
  ...rest,
});

/** What the lead sees of a world: each member healthy, or as given. */
export function sighting(
  world: World,
  members: readonly MemberSighting[] = [],
  rest: Partial<Sighting> = {},
): Sighting {
  const told = new Map(members.map((one) => [one.name, one]));
  const all = [...world.board.members.keys()].map((member) => told.get(member) ?? seen(member));
  return { board: world.board, members: all, overslept: false, untrusted: new Set(), unattended: false, ...rest };
}

/** A verdict without its reason, for tables. */
export const bare = (verdicts: readonly Verdict[]): object[] =>
  verdicts.map((verdict) => Object.fromEntries(Object.entries(verdict).filter(([key]) => key !== 'why')));

/** The follow-up of task 3: tests for it. */
export const followUp: FollowUp = {
  kind: 'test',
  subject: 'Write tests for it',
  role: name('test-engineer'),
  tier: 'sonnet',
  metadata: { parent: '3', kind: 'test', type: 'test', depth: 1, tier: 'sonnet' },
};
