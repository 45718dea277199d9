/**
 * `teams at`: a team as it stood at a moment of its past, folded anew from the start of both logs.
 */
import { count, emptyBoard, type Board, type Counts } from '../../model/board/board.ts';
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { timestamp } from '../../model/text/clock.ts';
import type { Moment } from '../../model/text/moment.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { safeText } from '../../model/text/safe-text.ts';
import { columnsOf, type Card } from '../../policy/view/board-columns.ts';
import { lineEnds } from '../../store/board/line-ends.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { cutAt, factsIn } from './past-facts.ts';
import { mailSentBy, PastInbox, type MailMoment } from './past-mail.ts';

export interface MemberThen {
  readonly name: Name;
  readonly role: Name;
  /** Whether it had left by then. */
  readonly state: 'joined' | 'left';
  /** The task that it worked on. */
  readonly task: string | null;
  /** The last event that names it. */
  readonly last: ShownEvent | null;
}

/** The mail that was sent to one inbox by then. */
export interface MailThen {
  readonly to: Name;
  readonly sent: number;
  /** How many of them were not read yet; null if that was not recorded. */
  readonly unread: number | null;
  readonly last: { readonly at: string; readonly from: string; readonly text: string };
}

export interface TeamMoment {
  readonly team: Name;
  /** The last event that had happened, and how many the team has in all. */
  readonly event: ShownEvent;
  readonly events: number;
  /** The last line of the board's log that counted by then, as `cat -n` numbers it. */
  readonly line: number;
  readonly phase: Board['phase'];
  readonly members: readonly MemberThen[];
  readonly counts: Counts;
  readonly tasks: readonly Card[];
  /** Inboxes to which something was sent. */
  readonly mail: readonly MailThen[];
}

/**
 * Reads both logs and all mail. Nothing is written.
 *
 * @param moment an event's number counts as in `teams log`; of times that a clock showed twice, the later one is meant
 * @throws UsageError `USAGE` at a moment before the team's first event, or an event or line that there is not;
 * StoreError `NEWER_VERSION`
 */
export async function teamAt(store: TeamReader, moment: Moment): Promise<TeamMoment> {
  const ends = lineEnds(store.disk, store.paths.log);
  const all = await factsIn(store);
  const until = cutAt(store.paths.name, all, ends, moment);
  const events = all.slice(0, until).map(({ fact }, at): ShownEvent => ({ ...fact, number: at + 1 }));
  const event = events.at(-1);
  if (event === undefined) throw new Error('The moment has no event.');
  const place = all.slice(0, until).findLast((one) => one.place !== undefined)?.place ?? -1;
  const board = boardAt(store, place);
  const line = ends.findIndex((end) => end > place) + 1;
  const isOfBoard = all[until - 1]?.place !== undefined;
  const then = { ms: Date.parse(event.at), log: ends[line - 1] ?? 0, isOfBoard };
  return {
    team: store.paths.name,
    event,
    events: all.length,
    line,
    phase: board.phase,
    members: [...board.members.values()].map(({ name, role, state }) => ({
      name,
      role,
      state,
      task: board.busy.get(name) ?? null,
      last: events.findLast(({ member }) => member === name) ?? null,
    })),
    counts: count(board),
    tasks: Object.values(columnsOf(board))
      .flat()
      .sort((one, other) => Number(one.id) - Number(other.id)),
    mail: [LEAD, ...board.members.keys()].flatMap((name) => mailBy(store, name, then) ?? []),
  };
}

/** The board with the record at a place and everything before it. */
function boardAt(store: TeamReader, place: number): Board {
  let then = emptyBoard();
  for (const { at, board } of store.board.log.replay()) {
    if (at > place) break;
    then = board;
    if (at === place) break;
  }
  return then;
}

function mailBy(store: TeamReader, to: Name, then: MailMoment): MailThen | undefined {
  const sent = mailSentBy(store, to, then.ms);
  const last = sent.at(-1);
  if (last === undefined) return undefined;
  const text = safeText(last.content.slice(0, 200)).trim();
  return {
    to,
    sent: sent.length,
    unread: new PastInbox(store, to).unreadAt(then),
    last: { at: timestamp(last.timestamp * 1_000), from: safeText(last.sender), text },
  };
}
