/**
 * The boards of two processes over one log, next to a plain model: one of the two makes each change, and all three are
 * compared.
 */
import { ulid } from 'ulid';
import { expect } from 'vitest';
import type { Board } from '../../../src/model/board/board.ts';
import type { Author, Body } from '../../../src/model/board/event.ts';
import { LEAD, type Name } from '../../../src/model/text/names.ts';
import type { BoardStore } from '../../../src/store/board/board.ts';
import type { TeamPaths } from '../../../src/store/files/paths.ts';
import { boardOf, name, PERSON, task } from '../team.ts';
import { PlainBoard, type End } from './board.ts';
import { mortal } from './mortal.ts';

const NAMES = [name('ada'), name('bob'), name('cy')];
const ROLE = name('executor');

export class BoardPair {
  readonly plain = new PlainBoard();
  readonly #paths: TeamPaths;
  readonly #disk = mortal().disk;
  readonly #stores: BoardStore[];
  /** All leads, the current one last. */
  readonly #leads: string[] = [];
  /** All incarnations of a member, which may write again after their end. */
  readonly #lives = new Map<Name, string[]>();

  constructor(paths: TeamPaths) {
    this.#paths = paths;
    this.#stores = [boardOf(paths, { disk: this.#disk, create: true }), boardOf(paths, { disk: this.#disk })];
    this.#say(0, PERSON, { type: 'log.opened', team: ulid(), name: paths.name });
    this.lead(0, 1);
    for (const at of NAMES.keys()) this.member(0, at, 'join');
    for (const at of NAMES.keys()) this.member(0, at, 'restart');
  }

  create(by: number, blockers: readonly number[], retries: number): void {
    const blockedBy = [...new Set(blockers.flatMap((at) => this.#taskAt(at) ?? []))];
    const id = this.plain.create(blockedBy, retries);
    const fields = { ...task(`Task ${id}`), blockedBy, retries };
    this.#both(by, this.#lead(0), { type: 'task.created', task: id, fields }, true);
  }

  /** @param back how many incarnations ago the author was current */
  claim(by: number, at: number, who: number, back: number): void {
    const [id, { member, life }] = [this.#taskAt(at) ?? '1', this.#life(who, back)];
    const allowed = this.plain.claim(id, member, life);
    this.#both(by, { by: member, inc: life }, { type: 'task.claimed', task: id, member }, allowed);
  }

  /** @param late how many claims ago the epoch was current */
  end(by: number, at: number, how: End, who: number, back: number, late: number): void {
    const [id, { member, life }] = [this.#taskAt(at) ?? '1', this.#life(who, back)];
    const epoch = Math.max(0, (this.plain.tasks.get(id)?.claims ?? 0) - late);
    const allowed = this.plain.end(id, how, { member, life, epoch });
    this.#both(by, { by: member, inc: life }, bodyOf(id, how, epoch), allowed);
  }

  decide(by: number, at: number, what: 'retried' | 'skipped', back: number): void {
    const id = this.#taskAt(at) ?? '1';
    const author = this.#lead(back);
    const isCurrent = 'lead' in author && author.lead === this.#leads.at(-1);
    const allowed = isCurrent && (what === 'retried' ? this.plain.retry(id) : this.plain.skip(id));
    const body: Body =
      what === 'retried'
        ? { type: 'task.retried', task: id }
        : { type: 'task.skipped', task: id, cascade: false, why: '' };
    this.#both(by, author, body, allowed);
  }

  /** @param ahead how much higher than the current one the new epoch is */
  lead(by: number, ahead: number): void {
    const epoch = this.plain.epoch + ahead;
    const lead = ulid();
    const allowed = this.plain.lead(epoch);
    if (allowed) this.#leads.push(lead);
    this.#both(by, { lead, epoch }, { type: 'lead.took', epoch }, allowed);
  }

  member(by: number, who: number, what: 'join' | 'leave' | 'restart'): void {
    const member = NAMES[who % NAMES.length] ?? LEAD;
    if (what === 'restart') return this.#restart(by, member);
    const allowed = what === 'join' ? this.plain.join(member) : this.plain.leave(member);
    const body: Body =
      what === 'join'
        ? { type: 'member.joined', name: member, role: ROLE, prefixes: [] }
        : { type: 'member.left', name: member, why: '' };
    this.#both(by, this.#lead(0), body, allowed);
  }

  reopen(by: number): void {
    this.#stores[by]?.close();
    this.#stores[by] = boardOf(this.#paths, { disk: this.#disk });
    this.#compare();
  }

  close(): void {
    for (const store of this.#stores) store.close();
  }

  #restart(by: number, member: Name): void {
    const life = ulid();
    const after = this.plain.members.get(member)?.life ?? null;
    const allowed = this.plain.restart(member, life, after);
    if (allowed) this.#lives.set(member, [...(this.#lives.get(member) ?? []), life]);
    this.#both(by, this.#lead(0), { type: 'member.started', name: member, inc: life, after }, allowed);
  }

  #taskAt(at: number): string | undefined {
    return this.plain.tasks.size === 0 ? undefined : String((at % this.plain.tasks.size) + 1);
  }

  #life(who: number, back: number): { member: Name; life: string } {
    const member = NAMES[who % NAMES.length] ?? LEAD;
    return { member, life: this.#lives.get(member)?.at(-1 - back) ?? ulid() };
  }

  /** The lead of `back` leads ago, under its own epoch. */
  #lead(back: number): Author {
    const at = Math.max(0, this.#leads.length - 1 - back);
    return { lead: this.#leads[at] ?? ulid(), epoch: at + 1 };
  }

  #say(by: number, author: Author, body: Body): boolean {
    return this.#stores[by]?.appendNow(author, () => body).outcome.ok ?? false;
  }

  #both(by: number, author: Author, body: Body, allowed: boolean): void {
    expect(this.#say(by, author, body), JSON.stringify({ author, body })).toBe(allowed);
    this.#compare();
  }

  /** T1–T9: both processes see what the plain model says. */
  #compare(): void {
    const wanted = plainView(this.plain);
    for (const store of this.#stores) expect(viewOf(store.fold())).toEqual(wanted);
    const claimants = wanted.flatMap(({ claim }) => (claim ? [claim.member] : []));
    expect(new Set(claimants).size).toBe(claimants.length);
  }
}

function bodyOf(id: string, how: End, epoch: number): Body {
  if (how === 'completed') return { type: 'task.completed', task: id, epoch, result: { summary: '', files: [] } };
  if (how === 'failed') return { type: 'task.failed', task: id, epoch, why: '' };
  return { type: 'task.released', task: id, epoch, reason: 'released', why: '' };
}

const plainView = ({ tasks }: PlainBoard) =>
  [...tasks].map(([id, { status, claim, claims, attempts }]) => ({ id, status, claim, claims, attempts }));

const viewOf = ({ tasks }: Board): ReturnType<typeof plainView> =>
  [...tasks.values()].map((one) => {
    if (one.status === 'cancelled' || one.status === 'landing')
      throw new Error('nobody cancelled or submitted anything');
    const claim = one.status === 'in_progress' ? { member: one.claim.member, life: one.claim.incarnation } : undefined;
    return { id: one.id, status: one.status, claim, claims: one.claims, attempts: one.attempts };
  });
