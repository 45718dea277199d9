/**
 * The ledger of a user's day over the machines of a store (/docs/decisions/156-a-user-on-several-machines.md): as
 * `day-ledger.ts`, with the order and the clock of the store. Its file of each day, `.teams/.spending/2026-11-27.jsonl` of
 * the replica, is written by the relay only; an empty one says that the day has come. The first records of a day take over
 * the limits and what is still reserved.
 */
import { join } from 'node:path';
import { dayAccount, type BudgetAccount } from '../../model/team/budget-account.ts';
import type { LedgerEntry } from '../../model/team/budget.ts';
import type { Clock } from '../../model/text/clock.ts';
import { isTeamError, StoreError } from '../../model/text/errors.ts';
import { livenessOf, ownIdentity } from '../../os/process-table.ts';
import { list, type Disk } from '../files/disk.ts';
import { rootPaths } from '../files/paths.ts';
import { Locks } from '../lock/lock.ts';
import type { SpendingAsked } from '../replica/relay-request.ts';
import { Ledger, type Decide } from './ledger.ts';

const DAY = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;
/** Before the first limit the store is asked which day it is. */
const NO_DAY = '1970-01-01';

/** The days that the folder of a replica has a ledger of, from the first to the last. */
export const daysIn = (disk: Disk, folder: string): string[] =>
  list(disk, folder)
    .flatMap((name) => DAY.exec(name)?.[1] ?? [])
    .toSorted();

interface SharedDayEnvironment {
  readonly disk: Disk;
  readonly clock: Clock;
  /** That of the replica. */
  readonly root: string;
  /** @returns false if the store has other records meanwhile, or another day. The files here are up to date then. */
  readonly commit: (asked: SpendingAsked) => Promise<boolean>;
}

/** The ledger of a day that the store has ended meanwhile. */
class DayOver extends Error {}

export class SharedDay {
  readonly #environment: SharedDayEnvironment;
  readonly #folder: string;
  readonly #ledgers = new Map<string, Ledger>();
  /** What the first records of a day were decided with. */
  #before: { readonly day: string; readonly records: number } | undefined;

  constructor(environment: SharedDayEnvironment) {
    this.#environment = environment;
    this.#folder = rootPaths(environment.root).spending;
  }

  /** The date by the store; undefined before the first limit. */
  get day(): string | undefined {
    return daysIn(this.#environment.disk, this.#folder).at(-1);
  }

  /** It changes with each record, when a day begins, and when a process of this machine is gone that had reserved. */
  get mark(): string {
    const { day, last } = this.#days();
    return `${day} ${last} ${last && this.#ledgerOf(last).offset} ${this.#dead()}`;
  }

  /**
   * Reads what the relay brought. On a new day it is still the account of the last one, until {@link change}.
   *
   * @returns undefined as long as nothing is limited
   * @throws StoreError `CORRUPT` naming the line: then nothing may be spent
   */
  look(): BudgetAccount | undefined {
    const { last } = this.#days();
    return last === undefined ? undefined : this.#ledgerOf(last).look();
  }

  /**
   * Decides with the account of this day, and appends what was decided in the store. Reservations of processes of this
   * machine that are gone count as used; of those of other machines nobody here can tell.
   *
   * @throws StoreError as {@link look}, or `ENGINE_UNREACHABLE`: then nothing is granted
   */
  async change<Result>(decide: Decide<Result>): Promise<Result> {
    for (;;) {
      try {
        const ledger = await this.#today();
        await ledger.change((account) => ({ entries: settledForTheDeadHere(account), result: undefined }));
        return await ledger.change(decide);
      } catch (error) {
        if (!(error instanceof DayOver)) throw error;
      }
    }
  }

  close(): void {
    for (const ledger of this.#ledgers.values()) ledger.close();
    this.#ledgers.clear();
  }

  /** The day by the store, and the last one with a record. */
  #days(): { readonly day: string | undefined; readonly last: string | undefined } {
    const days = daysIn(this.#environment.disk, this.#folder);
    const last = days.findLast((day) => {
      const ledger = this.#ledgerOf(day);
      ledger.look();
      return ledger.records > 0;
    });
    return { day: days.at(-1), last };
  }

  /** The ledger of this day, which has begun. */
  async #today(): Promise<Ledger> {
    const { commit } = this.#environment;
    if (this.day === undefined) await commit({ from: NO_DAY, after: 0, day: NO_DAY, lines: [] });
    const { day, last } = this.#days();
    if (day === undefined)
      throw new StoreError('ENGINE_UNREACHABLE', 'The relay did not say which day it is in the store.');
    const ledger = this.#ledgerOf(day);
    if (last === undefined || last === day) {
      this.#before = undefined;
      return ledger;
    }
    await ledger.change((account) => {
      // It has begun meanwhile.
      if (account.limits.size > 0) return { entries: [], result: undefined };
      const before = this.#ledgerOf(last);
      const entries = carried(before.look());
      this.#before = { day: last, records: before.records };
      return { entries, result: undefined };
    });
    return ledger;
  }

  #ledgerOf(day: string): Ledger {
    const known = this.#ledgers.get(day);
    if (known !== undefined) return known;
    const { disk, clock, root } = this.#environment;
    const path = join(this.#folder, `${day}.jsonl`);
    // No lock is taken: the order is that of the store.
    const locks = new Locks(rootPaths(root).tokens, { disk, clock });
    const made = new Ledger({
      disk,
      clock,
      locks,
      paths: { ledger: path, ledgerLock: path },
      account: dayAccount(),
      commit: (after, lines) => this.#commit(day, after, lines),
    });
    this.#ledgers.set(day, made);
    return made;
  }

  async #commit(day: string, after: number, lines: readonly string[]): Promise<boolean> {
    const decidedWith = (after === 0 ? this.#before : undefined) ?? { day, records: after };
    const { day: from, records } = decidedWith;
    const isWritten = await this.#environment.commit({ from, after: records, day, lines: [...lines] });
    if (!isWritten && this.day !== day) throw new DayOver();
    return isWritten;
  }

  /** How many reservations are of processes of this machine that are gone; of a damaged ledger nobody can tell. */
  #dead(): number | undefined {
    try {
      return settledForTheDeadHere(this.look()).length;
    } catch (error) {
      if (isTeamError(error) && error.code === 'CORRUPT') return undefined;
      throw error;
    }
  }
}

/** What a new day takes over. */
const carried = (before: BudgetAccount | undefined): LedgerEntry[] => [
  { do: 'limit', scope: 'day', limit: before?.limits.get('day') ?? {}, configured: before?.configured.get('day') },
  ...(before?.all ?? []),
];

/** Of another machine, or another boot of this one, a process cannot be judged by its pid. */
function settledForTheDeadHere(account: BudgetAccount | undefined): LedgerEntry[] {
  const { bootId, pidNamespace } = ownIdentity();
  return (account?.all ?? []).flatMap(({ id, hold, process }): LedgerEntry[] => {
    const isHere = process?.bootId === bootId && process.pidNamespace === pidNamespace;
    if (!isHere || livenessOf(process) !== 'dead') return [];
    return [{ do: 'settle', id, used: hold, untold: ['cost', 'tokens'] }];
  });
}
