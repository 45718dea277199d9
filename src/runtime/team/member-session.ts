/** A member's process: whether it still is the member, what it writes to the board, what it mails to the lead. */
import { ownTask, type Board, type Refused } from '../../model/board/board.ts';
import { isTeamError } from '../../model/text/errors.ts';
import type { Body } from '../../model/board/event.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import type { ClaimedTask } from '../../model/board/task.ts';
import type { Folded } from '../../store/board/fold-line.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { sendMail } from './send-mail.ts';
import type { SendRate } from './send-rate.ts';
import { authorOf, type Speaker } from './authentication.ts';
import { publishOutcome } from './task-service.ts';
import type { SendOptions } from '../../model/team/message.ts';

export class MemberSession {
  readonly store: TeamStore;
  readonly speaker: Speaker & { kind: 'member' };
  /** The send rate of its agent. */
  readonly rate: SendRate;
  readonly #onGone: () => void;
  /** What its process record says of the hops. A process begins with a new record, which says nothing of them. */
  #hops: number | undefined;

  /** @param onGone called when the team's directory no longer exists */
  constructor(store: TeamStore, speaker: Speaker & { kind: 'member' }, rate: SendRate, onGone: () => void) {
    this.store = store;
    this.speaker = speaker;
    this.rate = rate;
    this.#onGone = onGone;
  }

  get name(): Name {
    return this.speaker.name;
  }

  /**
   * False once another process of this member has started.
   *
   * @param board folded just now
   */
  isCurrent(board = this.store.board.fold()): boolean {
    return board.members.get(this.name)?.incarnation === this.speaker.incarnation;
  }

  /**
   * The task that this process has claimed. A person who claims in the member's name also ends the claim: from this
   * process the board would refuse each end.
   *
   * @param board folded just now
   */
  task(board = this.store.board.fold()): ClaimedTask | undefined {
    const task = ownTask(board, this.name);
    return task?.claim.incarnation === this.speaker.incarnation ? task : undefined;
  }

  /** @param change makes it from the board at the end of the log, or refuses */
  async write(change: Body | ((board: Board) => Body | Refused)): Promise<Folded | { outcome: Refused }> {
    return this.store.board.append(authorOf(this.speaker), typeof change === 'function' ? change : () => change);
  }

  /** Writes a record, and wakes members that can work on tasks that became ready. */
  async writeAndWake(body: Body): Promise<void> {
    await publishOutcome(this.store, (await this.write(body)).outcome, this.speaker);
  }

  /**
   * Mails the lead. A failure is logged and never ends the work.
   *
   * @returns whether it was sent
   */
  async tellLead(text: string, options: SendOptions): Promise<boolean> {
    try {
      await sendMail(this.store, this.speaker, LEAD, text, options);
      return true;
    } catch (error) {
      this.reportError(error);
      return false;
    }
  }

  /** Records a state that the board does not know in the member's process record; without an argument clears it. */
  note(said?: { readonly state: 'rate-limited' | 'waiting'; readonly reason: string; readonly forMs?: number }): void {
    const { roster, clock } = this.store;
    const record = roster.read(this.name);
    const now = clock.now();
    const note = said && {
      state: said.state,
      reason: said.reason,
      since: record?.note?.since ?? now / 1000,
      until: said.forMs === undefined ? undefined : (now + said.forMs) / 1000,
    };
    if (record) roster.write({ ...record, note });
  }

  /**
   * Records the hop count of mail that its agent sends now, for processes that the agent starts: see `send-mail.ts`.
   */
  hops(hops: number | undefined): void {
    if (hops === this.#hops) return;
    const { roster } = this.store;
    const record = roster.read(this.name);
    if (record === undefined) return;
    roster.write({ ...record, hops });
    this.#hops = hops;
  }

  /** Logs an error that does not end the work; if the team is gone, the process ends. */
  reportError(error: unknown): void {
    if (isTeamError(error) && error.code === 'TEAM_GONE') return this.#onGone();
    const text = error instanceof Error ? error.message : String(error);
    this.store.events.appendTrouble({ type: 'teammate.error', member: this.name, text });
  }
}

/** Exit code of a member's process for which no agent is available (docs/specification.md R11.3). */
export const UNAVAILABLE_EXIT = 5;
