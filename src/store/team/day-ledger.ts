/**
 * The ledger of a user's day over all teams (docs/budgets.md): one file a day in the user's state directory,
 * `$XDG_STATE_HOME/teams/spending/2026-11-25.jsonl`. The first record of a day takes over the limits and what is still
 * reserved. The day is the UTC date, and never earlier than that of the last ledger: a clock that is set back changes
 * nothing. What only has the name of a later day is no ledger (docs/decisions/117-the-ledger-of-today.md). As long as
 * nothing is limited, no file is made.
 */
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { dayAccount, type BudgetAccount } from '../../model/team/budget-account.ts';
import type { LedgerEntry } from '../../model/team/budget.ts';
import { timestamp, type Clock } from '../../model/text/clock.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { livenessOf } from '../../os/process-table.ts';
import { DIRECTORY_MODE, list, lookAt, onDisk, type Disk } from '../files/disk.ts';
import { clearAway, makeDirectory, syncDirectory } from '../files/file.ts';
import { folderAt } from '../files/folder-of.ts';
import { Locks } from '../lock/lock.ts';
import { beginningOf, Ledger, type Decide } from './ledger.ts';
import { keyPath } from '../user/seal.ts';

const DAY = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;
/** So many days are kept. */
const KEPT = 40;

const DAY_MS = 24 * 3_600_000;
const UNREADABLE = new Set(['CORRUPT', 'READ_ONLY']);

const dateOf = (time: number): string => timestamp(time).slice(0, 10);

/** At midnight the first record may be of the day after. */
const isOfDay = (day: string, at = ''): boolean => {
  const time = Date.parse(at);
  return !Number.isNaN(time) && [dateOf(time), dateOf(time - DAY_MS)].includes(day);
};

interface DayEnvironment {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly lockTimeoutMs?: number | undefined;
  readonly directory?: string;
}

export class DayLedger {
  readonly #environment: DayEnvironment;
  readonly #directory: string;
  #locks: Locks | undefined;
  #open: { readonly day: string; readonly ledger: Ledger } | undefined;

  constructor(environment: DayEnvironment) {
    this.#environment = environment;
    this.#directory = environment.directory ?? join(dirname(keyPath()), 'spending');
  }

  /** It changes with each record, when a day begins, and when a process is gone that had reserved: see {@link change}. */
  get mark(): string {
    return `${this.day} ${this.#open?.day} ${this.#open?.ledger.offset} ${this.#dead()}`;
  }

  get day(): string {
    const last = this.#last();
    return last !== undefined && last > this.#date ? last : this.#date;
  }

  /** The UTC date by the clock. */
  get #date(): string {
    return dateOf(this.#environment.clock.now());
  }

  /**
   * Reads what other processes wrote since. On a new day it is still the account of the last one, until {@link change}.
   *
   * @returns undefined as long as nothing is limited
   * @throws StoreError `CORRUPT` naming the line: then nothing may be spent
   */
  look(): BudgetAccount | undefined {
    const last = this.#last();
    return last === undefined ? undefined : this.#ledgerOf(last).look();
  }

  /**
   * Decides under the user's lock, with the account of this day, and appends what was decided, durably. Reservations of
   * processes that are gone count as used.
   *
   * @throws StoreError as {@link look}, or as the disk fails: then nothing is granted
   */
  async change<Result>(decide: Decide<Result>): Promise<Result> {
    const { disk, clock, lockTimeoutMs } = this.#environment;
    const folder = this.#directory;
    onDisk('create the directory', dirname(folder), () => makeDirectoryPath(dirname(folder), DIRECTORY_MODE, disk));
    makeDirectory(disk, folder);
    const locks = (this.#locks ??= new Locks(folder, { disk, clock, folder: folderAt(disk, folder), isOurs: true }));
    try {
      return await locks.withLock(
        join(folder, 'day.lock'),
        () => {
          const ledger = this.#today();
          ledger.changeLocked((account) => ({ entries: settledForTheDead(account), result: undefined }));
          return ledger.changeLocked(decide);
        },
        lockTimeoutMs === undefined ? {} : { timeoutMs: lockTimeoutMs },
      );
    } finally {
      // Its token goes at once: most that spend have no moment at which they end.
      locks.close();
    }
  }

  close(): void {
    this.#open?.ledger.close();
    this.#open = undefined;
  }

  /** How many reservations are of processes that are gone; of a damaged ledger nobody can tell. */
  #dead(): number | undefined {
    try {
      return settledForTheDead(this.look()).length;
    } catch (error) {
      if (isTeamError(error) && error.code === 'CORRUPT') return undefined;
      throw error;
    }
  }

  #last(): string | undefined {
    return this.#days().findLast((day) => this.#isLedger(day));
  }

  /** Of days that the clock has not reached, only one that began on its day: when the clock was ahead. */
  #isLedger(day: string): boolean {
    const { disk } = this.#environment;
    const path = this.#pathOf(day);
    if (lookAt(disk, path)?.isFile() !== true) return false;
    const isAhead = day > this.#date;
    try {
      const began = beginningOf(disk, path);
      return isAhead ? isOfDay(day, began?.at) : began !== undefined;
    } catch (error) {
      if (isAhead && isTeamError(error) && UNREADABLE.has(error.code)) return false;
      throw error;
    }
  }

  #pathOf(day: string): string {
    return join(this.#directory, `${day}.jsonl`);
  }

  #days(): string[] {
    const { disk } = this.#environment;
    // Asked in each look of each process, and missing as long as nothing is limited: a look costs no exception.
    if (lookAt(disk, this.#directory) === undefined) return [];
    return list(disk, this.#directory).flatMap((name) => DAY.exec(name)?.[1] ?? []);
  }

  #ledgerOf(day: string): Ledger {
    if (this.#open?.day !== day) {
      this.#open?.ledger.close();
      this.#open = { day, ledger: this.#ledgerAt(this.#pathOf(day)) };
    }
    return this.#open.ledger;
  }

  #ledgerAt(path: string): Ledger {
    const { disk, clock } = this.#environment;
    const locks = this.#locks ?? new Locks(this.#directory, { disk, clock });
    const paths = { ledger: path, ledgerLock: join(this.#directory, 'day.lock') };
    return new Ledger({ disk, clock, locks, paths, account: dayAccount() });
  }

  /** The ledger of this day; under the lock. */
  #today(): Ledger {
    const { day } = this;
    const last = this.#last();
    if (lookAt(this.#environment.disk, this.#pathOf(day))?.isFile() === false) this.#clear(this.#pathOf(day));
    if (last !== undefined && last !== day) this.#begin(day, this.#ledgerOf(last).look());
    return this.#ledgerOf(day);
  }

  /** A new file has its first records when it gets its name: no limit is lost by a kill. */
  #begin(day: string, before: BudgetAccount | undefined): void {
    if (before === undefined) return;
    const { disk } = this.#environment;
    const [made, path] = [join(this.#directory, `${day}.tmp`), this.#pathOf(day)];
    this.#clear(made);
    const ledger = this.#ledgerAt(made);
    const limits = [...before.limits].map(([scope, limit]): LedgerEntry => {
      return { do: 'limit', scope, limit, configured: before.configured.get(scope) };
    });
    ledger.changeLocked(() => ({ entries: [...limits, ...before.all], result: undefined }));
    ledger.close();
    onDisk('begin', path, () => disk.renameSync(made, path));
    syncDirectory(disk, this.#directory);
    const past = this.#days().filter((one) => one <= day);
    for (const old of past.slice(0, -KEPT)) this.#clear(this.#pathOf(old));
  }

  #clear(path: string): void {
    clearAway(this.#environment.disk, path, randomBytes(6).toString('hex'));
  }
}

/** Whoever is gone will never tell what it used: what it had reserved counts. */
const settledForTheDead = (account: BudgetAccount | undefined): LedgerEntry[] =>
  (account?.all ?? []).flatMap(({ id, hold, process }): LedgerEntry[] =>
    process === undefined || livenessOf(process) !== 'dead'
      ? []
      : [{ do: 'settle', id, used: hold, untold: ['cost', 'tokens'] }],
  );
