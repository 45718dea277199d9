/**
 * A ledger of budgets: a team's, `ledger.jsonl`, or that of a user's day (docs/budgets.md): what is limited, reserved and
 * spent. Records are decided and appended under one lock, durably, before the turn begins that they allow. Each record names the hash of
 * the one before: a ledger that was changed by hand or lost a line is not believed.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { timestamp, type Clock } from '../../model/text/clock.ts';
import { BudgetAccount } from '../../model/team/budget-account.ts';
import { ledgerEntrySchema, type LedgerEntry } from '../../model/team/budget.ts';
import { StoreError } from '../../model/text/errors.ts';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import type { Disk } from '../files/disk.ts';
import { Journal } from '../files/journal.ts';
import type { FileLine } from '../files/lines.ts';
import type { PinnedDirectory } from '../files/pinned.ts';
import type { TeamPaths } from '../files/paths.ts';
import { makeRoomFor } from '../lock/lock-directory.ts';
import type { Locks } from '../lock/lock.ts';

const bodySchema = z.object({ at: z.string(), entry: ledgerEntrySchema });

/** The link of the chain stands before what it covers: the text of the rest of the line, and the link before. */
const LINE = /^\{"v":1,"chain":"([0-9a-f]{32})",(.*)\}$/;
const link = (before: string, rest: string): string =>
  createHash('sha256').update(`${before}\n${rest}`).digest('hex').slice(0, 32);

/** Whether a line is a whole record: the end of one that was torn is not. */
export const isLedgerRecord = (line: string): boolean => LINE.test(line);

/** Its first record is within so many bytes, also after the torn one of a writer that was killed. */
const BEGINNING = 64 * 1024;

/**
 * When a ledger began, by its first record.
 *
 * @returns `at` is absent if that record is damaged; undefined for a file without any record
 * @throws StoreError if the file cannot be read
 */
export function beginningOf(disk: Disk, path: string): { readonly at?: string | undefined } | undefined {
  const journal = new Journal(disk, path);
  try {
    const lines = journal.bytes(0, BEGINNING).toString('utf8').split('\n');
    const [, chain, rest = ''] = lines.map((line) => LINE.exec(line)).find((line) => line !== null) ?? [];
    if (chain === undefined) return undefined;
    const told = chain === link('', rest) ? jsonAnswer(bodySchema, `{${rest}}`) : undefined;
    return { at: told?.ok === true ? told.value.at : undefined };
  } finally {
    journal.close();
  }
}

interface LedgerEnvironment {
  readonly disk: Disk;
  readonly pinned?: PinnedDirectory;
  readonly clock: Clock;
  readonly locks: Locks;
  readonly paths: Pick<TeamPaths, 'ledger' | 'ledgerLock'>;
  readonly lockTimeoutMs?: number | undefined;
  readonly account?: BudgetAccount;
  /** For a ledger whose order a store makes. */
  readonly commit?: CommitLedger | undefined;
}

/**
 * Appends lines that were decided with the first `after` records.
 *
 * @returns false if there are others meanwhile. In both cases the file here is up to date then
 */
type CommitLedger = (after: number, lines: readonly string[]) => Promise<boolean>;

/** What is decided: the records that are appended, and what the caller learns. */
export type Decide<Result> = (account: BudgetAccount) => {
  readonly entries: readonly LedgerEntry[];
  readonly result: Result;
};

export class Ledger {
  readonly #environment: LedgerEnvironment;
  readonly #journal: Journal;
  readonly #account: BudgetAccount;
  #offset = 0;
  #chain = '';
  #lines = 0;
  /** Those that are whole. */
  #records = 0;

  constructor(environment: LedgerEnvironment) {
    this.#environment = environment;
    this.#account = environment.account ?? new BudgetAccount();
    this.#journal = new Journal(environment.disk, environment.paths.ledger, { create: true });
  }

  /** The length of what was read: it grows with each record. */
  get offset(): number {
    return this.#offset;
  }

  /** How many records were read. */
  get records(): number {
    return this.#records;
  }

  /**
   * Reads what other processes wrote since.
   *
   * @returns undefined as long as nothing is limited
   * @throws StoreError `CORRUPT` naming the line: then nothing may be spent
   */
  look(): BudgetAccount | undefined {
    this.#catchUp();
    return this.#account.limits.size === 0 ? undefined : this.#account;
  }

  /**
   * Decides under the lock, with the account as it is now, and appends what was decided. What is returned was flushed
   * to the disk.
   *
   * @throws StoreError as {@link look}, or as the disk fails: then nothing is granted
   */
  async change<Result>(decide: Decide<Result>): Promise<Result> {
    const { disk, pinned, locks, paths, lockTimeoutMs, commit } = this.#environment;
    if (commit !== undefined) return this.#changeShared(decide, commit);
    makeRoomFor(disk, paths.ledgerLock, pinned);
    return locks.withLock(
      paths.ledgerLock,
      () => this.changeLocked(decide),
      lockTimeoutMs === undefined ? {} : { timeoutMs: lockTimeoutMs },
    );
  }

  /** Whether it is the ledger of several machines: only {@link change} writes to it. */
  get isShared(): boolean {
    return this.#environment.commit !== undefined;
  }

  /**
   * Like {@link change}, once and without waiting.
   *
   * @returns undefined if another process holds the lock, or the ledger is shared
   */
  tryChange<Result>(decide: Decide<Result>): { readonly result: Result } | undefined {
    const { disk, pinned, locks, paths, commit } = this.#environment;
    if (commit !== undefined) return undefined;
    makeRoomFor(disk, paths.ledgerLock, pinned);
    const attempt = locks.tryLock(paths.ledgerLock, () => this.changeLocked(decide));
    return attempt.done ? { result: attempt.value } : undefined;
  }

  /** Like {@link change}, for a caller that holds the lock. */
  changeLocked<Result>(decide: Decide<Result>): Result {
    this.#catchUp();
    const { entries, result } = decide(this.#account);
    if (entries.length > 0) this.#append(entries);
    return result;
  }

  close(): void {
    this.#journal.close();
  }

  /** Nobody holds a lock over several machines: what was decided on an older account is decided again. */
  async #changeShared<Result>(decide: Decide<Result>, commit: CommitLedger): Promise<Result> {
    for (;;) {
      this.#catchUp();
      const { entries, result } = decide(this.#account);
      if (entries.length === 0) return result;
      const isWritten = await commit(this.#records, this.#linesOf(entries));
      this.#catchUp();
      if (isWritten) return result;
    }
  }

  #append(entries: readonly LedgerEntry[]): void {
    this.#journal.appendText(this.#linesOf(entries).join('\n'), { durable: true });
    this.#catchUp();
  }

  #linesOf(entries: readonly LedgerEntry[]): string[] {
    const at = timestamp(this.#environment.clock.now());
    let chain = this.#chain;
    return entries.map((entry) => {
      const rest = JSON.stringify({ at, entry }).slice(1, -1);
      chain = link(chain, rest);
      return `{"v":1,"chain":"${chain}",${rest}}`;
    });
  }

  #catchUp(): void {
    const replaced = (): Error => this.#damaged('it is shorter than it was, or has other records');
    const end = this.#journal.follow(this.#offset, replaced, (line) => {
      this.#lines += 1;
      this.#add(line);
      return true;
    });
    this.#offset = end ?? this.#offset;
    this.#journal.remember(this.#offset);
  }

  #add(line: FileLine): void {
    const [, chain, rest] = (line.kind === 'text' ? LINE.exec(line.text) : undefined) ?? [];
    // The end of a record whose writer was killed: it was never acknowledged, and the next record does not name it.
    if (chain === undefined || rest === undefined) return;
    const told = chain === link(this.#chain, rest) ? jsonAnswer(bodySchema, `{${rest}}`) : undefined;
    if (told?.ok !== true) throw this.#damaged(`line ${this.#lines} does not follow the one before`);
    this.#chain = chain;
    this.#records += 1;
    this.#account.add(told.value.entry);
  }

  #damaged(what: string): StoreError {
    const { ledger } = this.#environment.paths;
    return new StoreError(
      'CORRUPT',
      `The ledger ${ledger} is damaged: ${what}, so nothing more is spent; put back the ledger as it was, or set new limits with \`teams budget\` after you moved it away.`,
      { path: ledger, line: this.#lines },
    );
  }
}
