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

/** Where the two boards are. */
interface PairPlace {
  readonly paths: TeamPaths;
  /** Whether its log is opened already. */
  readonly isBegun: boolean;
  /** Opens the board of one of the two; without it both have the same files. */
  readonly open?: (by: number) => BoardStore;
  /** Called until both have what one of them wrote. */
  readonly meet?: (check: () => void) => Promise<void>;
}

export class BoardPair {
  readonly plain = new PlainBoard();
  readonly #place: PairPlace;
  readonly #disk = mortal().disk;
  readonly #stores: BoardStore[];
  /** All leads, the current one last. */
  readonly #leads: string[] = [];
  /** All incarnations of a member, which may write again after their end. */
  readonly #lives = new Map<Name, string[]>();

  private constructor(place: PairPlace) {
    this.#place = place;
    this.#stores = [this.#open(0), this.#open(1)];
  }

  static async on(place: PairPlace): Promise<BoardPair> {
    const { paths, isBegun } = place;
    const pair = new BoardPair(place);
    if (!isBegun) await pair.#say(0, PERSON, { type: 'log.opened', team: ulid(), name: paths.name });
    await pair.lead(0, 1);
    for (const at of NAMES.keys()) await pair.member(0, at, 'join');
    for (const at of NAMES.keys()) await pair.member(0, at, 'restart');
    return pair;
  }

  #open(by: number): BoardStore {
    const { paths, open } = this.#place;
    return open === undefined ? boardOf(paths, { disk: this.#disk, create: true }) : open(by);
  }

  async create(by: number, blockers: readonly number[], retries: number): Promise<void> {
    const blockedBy = [...new Set(blockers.flatMap((at) => this.#taskAt(at) ?? []))];
    const id = this.plain.create(blockedBy, retries);
    const fields = { ...task(`Task ${id}`), blockedBy, retries };
    await this.#both(by, this.#lead(0), { type: 'task.created', task: id, fields }, true);
  }

  /** @param back how many incarnations ago the author was current */
  async claim(by: number, at: number, who: number, back: number): Promise<void> {
    const [id, { member, life }] = [this.#taskAt(at) ?? '1', this.#life(who, back)];
    const allowed = this.plain.claim(id, member, life);
    await this.#both(by, { by: member, inc: life }, { type: 'task.claimed', task: id, member }, allowed);
  }

  /** @param late how many claims ago the epoch was current */
  async end(by: number, at: number, how: End, who: number, back: number, late: number): Promise<void> {
    const [id, { member, life }] = [this.#taskAt(at) ?? '1', this.#life(who, back)];
    const epoch = Math.max(0, (this.plain.tasks.get(id)?.claims ?? 0) - late);
    const allowed = this.plain.end(id, how, { member, life, epoch });
    await this.#both(by, { by: member, inc: life }, bodyOf(id, how, epoch), allowed);
  }

  async decide(by: number, at: number, what: 'retried' | 'skipped', back: number): Promise<void> {
    const id = this.#taskAt(at) ?? '1';
    const author = this.#lead(back);
    const isCurrent = 'lead' in author && author.lead === this.#leads.at(-1);
    const allowed = isCurrent && (what === 'retried' ? this.plain.retry(id) : this.plain.skip(id));
    const body: Body =
      what === 'retried'
        ? { type: 'task.retried', task: id }
        : { type: 'task.skipped', task: id, cascade: false, why: '' };
    await this.#both(by, author, body, allowed);
  }

  /** @param ahead how much higher than the current one the new epoch is */
  async lead(by: number, ahead: number): Promise<void> {
    const epoch = this.plain.epoch + ahead;
    const lead = ulid();
    const allowed = this.plain.lead(epoch);
    if (allowed) this.#leads.push(lead);
    await this.#both(by, { lead, epoch }, { type: 'lead.took', epoch }, allowed);
  }

  async member(by: number, who: number, what: 'join' | 'leave' | 'restart'): Promise<void> {
    const member = NAMES[who % NAMES.length] ?? LEAD;
    if (what === 'restart') return this.#restart(by, member);
    const allowed = what === 'join' ? this.plain.join(member) : this.plain.leave(member);
    const body: Body =
      what === 'join'
        ? { type: 'member.joined', name: member, role: ROLE, prefixes: [] }
        : { type: 'member.left', name: member, why: '' };
    await this.#both(by, this.#lead(0), body, allowed);
  }

  async reopen(by: number): Promise<void> {
    this.#stores[by]?.close();
    this.#stores[by] = this.#open(by);
    await this.#compare();
  }

  close(): void {
    for (const store of this.#stores) store.close();
  }

  async #restart(by: number, member: Name): Promise<void> {
    const life = ulid();
    const after = this.plain.members.get(member)?.life ?? null;
    const allowed = this.plain.restart(member, life, after);
    if (allowed) this.#lives.set(member, [...(this.#lives.get(member) ?? []), life]);
    await this.#both(by, this.#lead(0), { type: 'member.started', name: member, inc: life, after }, allowed);
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

  async #say(by: number, author: Author, body: Body): Promise<boolean> {
    return (await this.#stores[by]?.append(author, () => body))?.outcome.ok ?? false;
  }

  async #both(by: number, author: Author, body: Body, allowed: boolean): Promise<void> {
    expect(await this.#say(by, author, body), JSON.stringify({ author, body })).toBe(allowed);
    await this.#compare();
  }

  /** T1–T9: both processes see what the plain model says. */
  async #compare(): Promise<void> {
    const wanted = plainView(this.plain);
    const check = (): void => {
      for (const store of this.#stores) expect(viewOf(store.fold())).toEqual(wanted);
    };
    const { meet } = this.#place;
    if (meet === undefined) check();
    else await meet(check);
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
