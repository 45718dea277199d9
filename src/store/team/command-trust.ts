/**
 * Which commands of a board this user vouched for: the record's mac is made with this user's key, its signature with a key
 * that the user trusts, or the user confirmed exactly this record with `teams doctor --trust TEAM`.
 */
import type { Board } from '../../model/board/board.ts';
import { vouchedText, type TaskCommand, type Voucher } from '../../model/board/vouched-commands.ts';
import { hashText } from '../board/results.ts';
import type { Disk } from '../files/disk.ts';
import type { Seal } from '../user/seal.ts';
import type { Signatures } from '../user/signature.ts';
import { isMacTrusted, trustMac } from '../user/trust.ts';

export class CommandTrust {
  readonly #folded: { readonly board: Board };
  readonly #seal: Seal;
  readonly #signatures: Signatures;
  readonly #disk: Disk;
  /** The mac that each record should have; a record never changes. */
  readonly #macs = new Map<string, string>();
  readonly #hashes = new Map<string, string>();
  readonly #trusted = new Set<string>();

  constructor(folded: { readonly board: Board }, seal: Seal, signatures: Signatures, disk: Disk) {
    this.#folded = folded;
    this.#seal = seal;
    this.#signatures = signatures;
    this.#disk = disk;
  }

  /** Whether the task has no command, or one that this user vouched for. */
  isTrusted(task: string): boolean {
    const voucher = this.#folded.board.vouchers.get(task);
    return voucher === undefined || this.#holds(voucher);
  }

  /** The public key that signed the command of a task, if the user does not trust that key. */
  strangerOf(task: string): string | undefined {
    const voucher = this.#folded.board.vouchers.get(task);
    return voucher?.signature && this.#signatures.strangerOf(this.#textOf(voucher), voucher.signature);
  }

  /** The hash of the record that gave the task its command; undefined for a task without one. */
  hashOf(task: string): string | undefined {
    const voucher = this.#folded.board.vouchers.get(task);
    if (voucher === undefined) return undefined;
    // One record gives a plan all its commands, and each task asks.
    const hash = this.#hashes.get(voucher.event) ?? hashText(JSON.stringify(this.#textOf(voucher)));
    this.#hashes.set(voucher.event, hash);
    return hash;
  }

  /**
   * The commands that nobody vouched for, in the order of their records.
   *
   * @param which `open`: those that may still run
   */
  untrusted(which: 'open' | 'all'): TaskCommand[] {
    const { tasks, vouchers } = this.#folded.board;
    const mayRun = (id: string): boolean => {
      const status = tasks.get(id)?.status;
      return status === 'pending' || status === 'in_progress' || status === 'landing' || status === 'failed';
    };
    return [...new Set(vouchers.values())]
      .filter((voucher) => !this.#holds(voucher))
      .flatMap((voucher) =>
        voucher.commands.filter(
          ({ task }) => vouchers.get(task)?.event === voucher.event && (which === 'all' || mayRun(task)),
        ),
      );
  }

  /** Trusts these commands, each record as it is. */
  trust(commands: readonly TaskCommand[]): void {
    for (const { task } of commands) {
      const voucher = this.#folded.board.vouchers.get(task);
      if (voucher && !this.#holds(voucher)) trustMac(this.#macOf(voucher), this.#disk);
    }
  }

  #holds(voucher: Voucher): boolean {
    if (this.#trusted.has(voucher.event)) return true;
    const mac = this.#macOf(voucher);
    const isOwn = voucher.mac === mac || this.#isSigned(voucher) || isMacTrusted(mac, this.#disk);
    if (isOwn) this.#trusted.add(voucher.event);
    return isOwn;
  }

  #isSigned(voucher: Voucher): boolean {
    return voucher.signature !== undefined && this.#signatures.holds(this.#textOf(voucher), voucher.signature);
  }

  #macOf({ event, commands }: Voucher): string {
    const known = this.#macs.get(event);
    if (known !== undefined) return known;
    const mac = this.#seal.sign(this.#textOf({ event, commands }));
    this.#macs.set(event, mac);
    return mac;
  }

  #textOf({ event, commands }: Pick<Voucher, 'event' | 'commands'>): ReturnType<typeof vouchedText> {
    return vouchedText(this.#folded.board.team?.id ?? '', event, commands);
  }
}
