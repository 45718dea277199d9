/**
 * A team of any size with a history: tasks in chains, restarts, mail, spending, and a request that waits for a person.
 */
import { appendFileSync } from 'node:fs';
import { ulid } from 'ulid';
import { timestamp } from '../../src/model/text/clock.ts';
import { LOG_VERSION, type Author, type Body } from '../../src/model/board/event.ts';
import { LEAD } from '../../src/model/text/names.ts';
import { newTaskSchema } from '../../src/model/board/task.ts';
import { FakeClock } from './clock.ts';
import { name } from './team.ts';
import { ToldTeam } from './told-team.ts';

export interface Sizes {
  readonly members: number;
  readonly tasks: number;
  readonly messages: number;
  /** How many members have a task that failed for good; the last member has none. */
  readonly failures?: number;
}

const NAMES = ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gus', 'hal', 'iris', 'jon'];
const ROLES = ['executor', 'executor', 'test-engineer', 'explorer', 'code-reviewer'];
const VERBS = ['Parse', 'Cache', 'Profile', 'Rename', 'Document', 'Test', 'Review', 'Index', 'Stream', 'Retry'];
const THINGS = ['the login route', 'session tokens', 'the plan file', 'inbox quotas', 'the board fold', 'error texts'];

export const memberAt = (index: number): string => {
  const round = Math.floor(index / NAMES.length);
  return `${NAMES[index % NAMES.length] ?? 'ada'}${round === 0 ? '' : `-${round}`}`;
};
const subjectAt = (index: number): string =>
  `${VERBS[index % VERBS.length] ?? ''} ${THINGS[Math.floor(index / 3) % THINGS.length] ?? ''}`;

/** @param clock the start of the history; afterwards it is at the end of the history */
export function greatTeam(
  { members, tasks, messages, failures = 0 }: Sizes,
  root?: string,
  clock = new FakeClock(),
): ToldTeam {
  const names = Array.from({ length: members }, (_, index) => memberAt(index));
  const cast = Object.fromEntries(names.map((one, at) => [one, `${ROLES[at % ROLES.length] ?? ''}/claude`]));
  const team = new ToldTeam(cast, { root, clock });
  team.ledByUs();
  for (const one of names) team.process(one, 'alive');
  const past = new Past(team, names);
  past.plan(tasks);
  past.work(Math.floor((tasks * 0.75) / members), failures);
  past.write(messages);
  team.store.board.fold();
  // As whoever writes to a board of this size leaves it.
  for (const _ of team.store.board.checkpointed());
  return team;
}

/** Collected as lines and written at once, in the store's form: event by event a large history would take minutes. */
class Past {
  readonly #team: ToldTeam;
  readonly #names: readonly string[];
  readonly #lives = new Map<string, string>();
  readonly #log: string[] = [];
  readonly #events: string[] = [];

  constructor(team: ToldTeam, names: readonly string[]) {
    this.#team = team;
    this.#names = names;
    for (const one of names) this.#start(one);
  }

  plan(tasks: number): void {
    const { length: members } = this.#names;
    for (let id = 1; id <= tasks; id += 1) {
      const blockedBy = id > members && id % 7 !== 0 ? [String(id - members)] : [];
      const fields = newTaskSchema.parse({ subject: subjectAt(id), blockedBy, retries: 1 });
      this.#say({ person: LEAD, epoch: 1 }, { type: 'task.created', task: String(id), fields });
    }
  }

  /** Each member does `rounds` tasks and claims one more; one task fails first, one member is restarted. */
  work(rounds: number, failures: number): void {
    for (let round = 0; round < rounds; round += 1) {
      const idOf = (at: number): string => String(round * this.#names.length + at + 1);
      for (const [at, one] of this.#names.entries()) this.#claim(idOf(at), one, 50 + ((round * 7 + at * 13) % 40) * 30);
      for (const [at, one] of this.#names.entries()) this.#finish(idOf(at), one, round, at);
      if (round === Math.floor(rounds / 2)) this.#start(this.#names[2] ?? this.#names[0] ?? '');
    }
    const first = rounds * this.#names.length + 1;
    for (const [at, one] of this.#names.slice(0, -1).entries()) {
      this.#claim(String(first + at), one, 300);
      this.#tell('agent.said', { member: one, text: `Reading src/${subjectAt(at).split(' ').at(-1) ?? ''}.ts` });
      if (at > 0 && at <= failures) this.#giveUp(String(first + at), one);
    }
    const text = 'The tokens may live in Postgres or in Redis. Which one shall I take?';
    const asks = { type: 'request.made', request: ulid(), kind: 'question', text, about: String(first) } as const;
    this.#say(this.#as(this.#names[0] ?? ''), asks);
  }

  write(messages: number): void {
    const { paths, clock } = { paths: this.#team.store.paths, clock: this.#team.clock };
    const mail = new Map<string, string[]>(this.#names.map((one) => [one, []]));
    for (let index = 0; index < messages; index += 1) {
      const from = this.#names[(index * 7) % this.#names.length] ?? LEAD;
      const to = this.#names[(index * 3 + Math.floor(index / 5) + (index % 3)) % this.#names.length] ?? LEAD;
      const text = `${subjectAt(index)}: see ${subjectAt(index + 4).toLowerCase()} (${index})`;
      const at = clock.now() - (messages - index) * 50;
      const id = `mail-${index}`;
      const line = { type: 'message', sender: from, content: text, timestamp: at / 1_000, id, recipient: to };
      mail.get(to)?.push(JSON.stringify(line));
      this.#tell('message.sent', { member: from, to, id, text: `to ${to}: ${text}` });
    }
    for (const [to, lines] of mail) appendFileSync(paths.inbox(name(to)).history, `${lines.join('\n')}\n`);
    appendFileSync(paths.log, `\n${this.#log.join('\n')}\n`);
    appendFileSync(paths.events, `\n${this.#events.join('\n')}\n`);
  }

  #finish(task: string, member: string, round: number, at: number): void {
    const spent = { input_tokens: 4_000 + at * 900 + round * 30, output_tokens: 300 + at * 40 };
    this.#tell('agent.spent', { member, task, kind: 'claude', ...spent, cost_usd: 0.012 + at * 0.003 });
    const isHard = round === 1 && at === 1;
    if (isHard) {
      this.#say(this.#as(member), { type: 'task.failed', task, epoch: 1, why: 'two tests fail' });
      this.#claim(task, member, 900);
    }
    const result = { summary: `${subjectAt(Number(task))}: done, with tests`, files: [] };
    this.#say(this.#as(member), { type: 'task.completed', task, epoch: isHard ? 2 : 1, result });
    this.#team.wait(40 + ((round + at) % 9) * 40);
  }

  /** Fails a claimed task until it has no retries left. */
  #giveUp(task: string, member: string): void {
    const why = 'npm test: exit 1: 2 of 148 tests fail';
    this.#say(this.#as(member), { type: 'task.failed', task, epoch: 1, why });
    this.#claim(task, member, 800);
    this.#say(this.#as(member), { type: 'task.failed', task, epoch: 2, why });
  }

  #claim(task: string, member: string, ms: number): void {
    this.#say(this.#as(member), { type: 'task.claimed', task, member: name(member) });
    this.#team.wait(ms);
  }

  #start(member: string): void {
    const after = this.#lives.get(member) ?? null;
    const inc = ulid();
    this.#lives.set(member, inc);
    this.#say(this.#as(member), { type: 'member.started', name: name(member), inc, after });
  }

  #as(member: string): Author {
    return { by: name(member), inc: this.#lives.get(member) ?? '' };
  }

  #say(author: Author, body: Body): void {
    this.#log.push(JSON.stringify({ ...body, id: ulid(), v: LOG_VERSION, at: this.#at(), author }));
  }

  #tell(type: string, facts: Readonly<Record<string, unknown>>): void {
    this.#events.push(JSON.stringify({ at: this.#at(), type, ...facts }));
  }

  #at(): string {
    return timestamp(this.#team.clock.now());
  }
}
