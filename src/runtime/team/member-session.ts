/** A member's process as itself: whether it still is that member, what it writes on the board, what it says to the lead. */
import { ownTask, type Refused } from '../../model/board/board.ts';
import { isTeamError } from '../../model/text/errors.ts';
import type { Body } from '../../model/board/event.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import type { ClaimedTask } from '../../model/board/task.ts';
import type { Folded } from '../../store/board/board.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { sendMail } from './send-mail.ts';
import type { SendRate } from './send-rate.ts';
import { authorOf, type Speaker } from './authentication.ts';
import { publishOutcome } from './task-service.ts';
import type { SendOptions } from '../../model/team/message.ts';

export class MemberSession {
  readonly store: TeamStore;
  readonly speaker: Speaker & { kind: 'member' };
  /** Of what its agent says. */
  readonly rate: SendRate;
  readonly #onGone: () => void;

  /** @param onGone called when the team's directory is no longer there */
  constructor(store: TeamStore, speaker: Speaker & { kind: 'member' }, rate: SendRate, onGone: () => void) {
    this.store = store;
    this.speaker = speaker;
    this.rate = rate;
    this.#onGone = onGone;
  }

  get name(): Name {
    return this.speaker.name;
  }

  /** False once another process of this member has started. */
  isCurrent(): boolean {
    return this.store.board.fold().members.get(this.name)?.incarnation === this.speaker.incarnation;
  }

  /** The task that this member has claimed. */
  task(): ClaimedTask | undefined {
    return ownTask(this.store.board.fold(), this.name);
  }

  write(body: Body): Folded | { outcome: Refused } {
    return this.store.board.append(authorOf(this.speaker), () => body);
  }

  /** Writes, and wakes whoever can work on what became ready. */
  async writeAndWake(body: Body): Promise<void> {
    await publishOutcome(this.store, this.write(body).outcome, this.speaker);
  }

  /** Says something to the lead. That it cannot be said is an event, never the end of the work. @returns whether it was said */
  async tellLead(text: string, options: SendOptions): Promise<boolean> {
    try {
      await sendMail(this.store, this.speaker, LEAD, text, options);
      return true;
    } catch (error) {
      this.reportError(error);
      return false;
    }
  }

  /** What the board does not tell of this member, in its process record. */
  note(said?: { readonly state: 'rate-limited'; readonly reason: string; readonly forMs: number }): void {
    const { roster, clock } = this.store;
    const record = roster.read(this.name);
    const now = clock.now();
    const note = said && {
      state: said.state,
      reason: said.reason,
      since: record?.note?.since ?? now / 1000,
      until: (now + said.forMs) / 1000,
    };
    if (record) roster.write({ ...record, note });
  }

  /** How far mail has gone that its agent sends now, for the processes that its agent starts: see `mail.ts`. */
  hops(hops: number | undefined): void {
    const { roster } = this.store;
    const record = roster.read(this.name);
    if (record && record.hops !== hops) roster.write({ ...record, hops });
  }

  /** Trouble that does not end the work is an event; a team that is gone ends it. */
  reportError(error: unknown): void {
    if (isTeamError(error) && error.code === 'TEAM_GONE') return this.#onGone();
    const text = error instanceof Error ? error.message : String(error);
    this.store.events.append({ type: 'teammate.error', member: this.name, text });
  }
}

/** Of a member's process for which no agent can work here (SPEC §12: agent unavailable). */
export const UNAVAILABLE_EXIT = 5;
