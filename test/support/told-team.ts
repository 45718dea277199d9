/**
 * `ToldTeam`: a whole team on disk whose history a test writes event by event; the clock moves only when the test moves
 * it. Use it for views, reports and `why`.
 *
 *     const told = new ToldTeam({ ada: 'executor/exec' });
 *     told.led().started('ada').add('Build').claim('1', 'ada').wait(1_000);
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { onTestFinished } from 'vitest';
import type { Author, Body, Change, ClaimMode, Profile } from '../../src/model/board/event.ts';
import { agentId, LEAD, parseName, type Name } from '../../src/model/text/names.ts';
import { newTaskSchema, type NewTaskInput } from '../../src/model/board/task.ts';
import { safeJson } from '../../src/model/text/safe-text.ts';
import type { ProcessRecord } from '../../src/model/member/process-record.ts';
import { createStore } from '../../src/store/team/create-store.ts';
import { realDisk } from '../../src/store/files/disk.ts';
import { ownIdentity } from '../../src/os/process-table.ts';
import { openSeal } from '../../src/store/user/seal.ts';
import type { TeamStore } from '../../src/store/team/team-store.ts';
import { FakeClock } from './clock.ts';
import { name, readerOf } from './team.ts';
import { tempDir } from './temp.ts';

/** `ada: explorer/claude`: a member with its role and agent. Without an agent, the product does not start it. */
export type Cast = Readonly<Record<string, string>>;

export interface ToldOptions {
  readonly root?: string | undefined;
  readonly team?: string;
  readonly clock?: FakeClock;
  readonly profile?: Profile;
  readonly claimMode?: ClaimMode;
}

export class ToldTeam {
  readonly root: string;
  readonly clock: FakeClock;
  readonly store: TeamStore;
  readonly #lives = new Map<Name, string>();
  #epoch = 0;
  #lead: string | undefined;

  constructor(cast: Cast, { root = tempDir(), team = 'login', clock = new FakeClock(), ...mode }: ToldOptions = {}) {
    this.root = root;
    this.clock = clock;
    const members = Object.entries(cast).map(([member, job]) => {
      const [role = 'executor', kind] = job.split('/');
      const of = parseName('team', team);
      const own = { name: name(member), agent_id: agentId(name(member), of), role: name(role) };
      return { ...own, status: 'active' as const, color: 36, agent: kind === undefined ? undefined : { kind } };
    });
    const joined = members.map((member): Change => ({
      type: 'member.joined',
      name: member.name,
      role: member.role,
      prefixes: [],
    }));
    const input = {
      name: parseName('team', team),
      profile: mode.profile ?? 'v8',
      claimMode: mode.claimMode ?? 'auto',
      config: { members },
      changes: joined,
    };
    this.store = createStore(root, input, { clock, seal: openSeal(realDisk, join(root, 'key')), durable: false });
    onTestFinished(() => this.store.close());
  }

  /** Appends an event of the lead, which must be accepted. */
  say(body: Body): this {
    return this.#append(
      this.#lead === undefined ? { person: LEAD, epoch: this.#epoch } : { lead: this.#lead, epoch: this.#epoch },
      body,
    );
  }

  /** Appends an event of a member's process. */
  as(member: string, body: Body): this {
    return this.#append({ by: name(member), inc: this.#life(member) }, body);
  }

  /** A process takes the lead; the roster decides whether it runs. */
  led(): this {
    this.#lead = ulid();
    this.#epoch += 1;
    return this.say({ type: 'lead.took', epoch: this.#epoch });
  }

  /** This process is the lead, and runs. */
  ledByUs(): this {
    writeFileSync(this.store.paths.leaseOwner(LEAD), JSON.stringify({ ...ownIdentity(), since: this.clock.now() }));
    return this.led();
  }

  started(...members: string[]): this {
    for (const member of members) {
      const inc = ulid();
      const after = this.#lives.get(name(member)) ?? null;
      this.#lives.set(name(member), inc);
      this.as(member, { type: 'member.started', name: name(member), inc, after });
    }
    return this;
  }

  /** Records a member's process: this one, or one that has ended. */
  process(member: string, life: 'alive' | 'dead', facts: Partial<ProcessRecord> = {}): this {
    const identity = life === 'alive' ? ownIdentity() : { ...ownIdentity(), startTime: '1' };
    const record = { version: 1, name: name(member), phase: 'running' as const, ...identity };
    this.store.roster.write({ ...record, started_at: this.clock.now() / 1_000, ...facts });
    return this;
  }

  add(
    subject: string,
    fields: Omit<NewTaskInput, 'subject' | 'owner' | 'role'> & { owner?: string; role?: string } = {},
  ): this {
    const id = String(this.store.board.fold().lastTaskId + 1);
    return this.say({ type: 'task.created', task: id, fields: newTaskSchema.parse({ subject, ...fields }) });
  }

  claim(task: string, member: string): this {
    return this.as(member, { type: 'task.claimed', task, member: name(member) });
  }

  complete(task: string, member: string, summary = 'done'): this {
    return this.as(member, { type: 'task.completed', task, epoch: this.#claims(task), result: { summary, files: [] } });
  }

  fail(task: string, member: string, why: string): this {
    return this.as(member, { type: 'task.failed', task, epoch: this.#claims(task), why });
  }

  /** Claims a task, works for `ms` milliseconds, completes it. */
  work(task: string, member: string, ms: number): this {
    return this.claim(task, member).wait(ms).complete(task, member);
  }

  /** Adds a fact to the event log. */
  note(type: string, facts: Readonly<Record<string, unknown>> = {}): this {
    this.store.events.append({ type, ...facts });
    return this;
  }

  /** Puts a message into an inbox; its text is its id. */
  mailed(to: string, text: string, sender = 'bob'): this {
    const mail = { type: 'message', sender, content: text, timestamp: this.clock.now() / 1_000, id: text };
    appendFileSync(this.store.paths.inbox(to === LEAD ? LEAD : name(to)).inbox, `${safeJson(mail)}\n`);
    return this;
  }

  /** A member acknowledges its oldest messages. */
  async reads(member: string, most = Infinity): Promise<this> {
    const { reader, close } = readerOf(this.store.paths, name(member), { clock: this.clock });
    const mail = await reader.take();
    reader.acknowledge(mail.slice(0, most));
    close();
    return this;
  }

  wait(ms: number): this {
    this.clock.advance(ms);
    return this;
  }

  #append(author: Author, body: Body): this {
    const { outcome } = this.store.board.appendNow(author, () => body);
    if (!outcome.ok) throw new Error(`${body.type} was refused: ${outcome.why}`);
    return this;
  }

  #life(member: string): string {
    const inc = this.#lives.get(name(member));
    if (inc === undefined) throw new Error(`${member} was not started.`);
    return inc;
  }

  #claims(task: string): number {
    return this.store.board.fold().tasks.get(task)?.claims ?? 0;
  }
}
