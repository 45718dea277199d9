/** Follows a team from outside without consuming anything: its events, a member's mail, and what its agent prints. */
import { noMember } from '../../model/text/did-you-mean.ts';
import { UsageError } from '../../model/text/errors.ts';
import type { Message } from '../../model/team/message.ts';
import { LEAD, parseMemberName, type Name } from '../../model/text/names.ts';
import { isOver } from '../../model/board/request.ts';
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { lookAt } from '../../store/files/disk.ts';
import { InboxTail } from '../../store/mail/inbox-tail.ts';
import { pastMail, waitingMail, waitingMark } from '../../store/mail/inbox-view.ts';
import { OutputReader } from '../../store/board/output-reader.ts';
import { openForReading, stateIn, type TeamReader } from '../../store/team/team-reader.ts';
import type { WatchFile } from '../../store/files/watch-file.ts';
import { watchFolder, watchTree } from '../../store/files/watch-tree.ts';
import { leadStatusOf } from './external-status.ts';
import { teamEvents } from './team-events.ts';
import { TaskLines, TeamOutput, type OutputLine, type OutputNews } from './team-output.ts';
import { Waker } from '../process/waker.ts';

type Seen = Pick<TeamReader, 'paths' | 'disk' | 'clock'>;
type Asked = Pick<TeamReader, 'board'>;

/** @throws UsageError `BAD_NAME`, `UNKNOWN_MEMBER` */
export function knownMember({ board, paths }: Pick<TeamReader, 'board' | 'paths'>, text: string): Name {
  const name = parseMemberName(text);
  const { members } = board.fold();
  if (name === LEAD || members.has(name)) return name;
  throw new UsageError('UNKNOWN_MEMBER', noMember(paths.name, name, members.keys()));
}

/** A member's mail, without consuming it: unread mail, or with `history` acknowledged mail. */
export const mailOf = (store: Seen & Asked, member: Name, { history = false } = {}): Iterable<Message> =>
  history ? pastMail(store.disk, store.paths.inbox(member)) : waitingOf(store, member);

/** Unread mail, without questions that are already answered. */
function* waitingOf({ paths, disk, board }: Seen & Asked, member: Name): Generator<Message> {
  const folded = board.fold();
  for (const message of waitingMail(disk, paths.inbox(member))) if (!isOver(folded, message.id)) yield message;
}

/** A mark that changes when a member's unread mail changes; getting it reads no mail. */
export const mailMark = ({ store }: { readonly store: Seen & Asked }, member: string): string =>
  waitingMark(store.disk, store.paths.inbox(knownMember(store, member)));

/** Whether its run is complete and it has no lead. Only `teams resume` could continue it. */
export const hasEnded = (store: TeamReader): boolean =>
  stateIn(store)?.phase === 'complete' && !leadStatusOf(store).alive;

/**
 * The events of a team from `from` on as they come, until it has ended or `signal` aborts. If a new team is made in its
 * place, its events follow, from the first on.
 */
export async function* followEvents(store: TeamReader, from: number, signal: AbortSignal): AsyncGenerator<ShownEvent> {
  for (let first = from; !signal.aborted; first = 1) {
    let isClosed = false;
    const isOver = (): boolean => hasEnded(store);
    for await (const event of teamEvents(store, { follow: true, signal, watching: watchTree, isOver })) {
      isClosed ||= event.type === 'team.closed';
      if (event.number >= first) yield event;
    }
    if (isClosed || isOver()) return;
  }
}

/** The unread mail, then new mail, until the team has ended or `signal` aborts. */
export async function* followMail(store: TeamReader, member: Name, signal: AbortSignal): AsyncGenerator<Message> {
  const inbox = store.paths.inbox(member);
  const tail = new InboxTail(store.disk, inbox);
  try {
    for await (const _ of looks(store, inbox.inbox, signal)) yield* tail.look();
  } finally {
    tail.close();
  }
}

/**
 * Resolves when a member has mail.
 *
 * @returns false if none came until the team had ended or `signal` aborted
 */
export async function mailCame(store: TeamReader, member: Name, signal: AbortSignal): Promise<boolean> {
  const inbox = store.paths.inbox(member);
  for await (const _ of looks(store, inbox.inbox, signal))
    for (const _message of waitingMail(store.disk, inbox)) return true;
  return false;
}

/** What a member's agent has printed so far. */
export function* outputOf({ paths, disk }: Seen, member: Name): Iterable<Buffer> {
  const reader = new OutputReader(disk, paths.output(member));
  try {
    yield* reader.look();
  } finally {
    reader.close();
  }
}

/**
 * A part of what a member's agent has printed: `most` bytes from a place on, or the last ones.
 *
 * @returns with the size of the present file
 */
export function outputPage(
  { paths, disk }: Pick<TeamReader, 'paths' | 'disk'>,
  member: Name,
  most: number,
  wanted?: number,
): { bytes: Buffer; from: number; size: number } {
  const path = paths.output(member);
  const size = lookAt(disk, path)?.size ?? 0;
  const from = wanted ?? Math.max(0, size - most);
  const reader = new OutputReader(disk, path, from);
  const pieces: Buffer[] = [];
  let left = most;
  try {
    for (const piece of reader.look()) {
      pieces.push(piece.subarray(0, left));
      left -= piece.length;
      if (left <= 0) break;
    }
  } finally {
    reader.close();
  }
  return { bytes: Buffer.concat(pieces), from, size };
}

/** The output of a member, and what it prints later, until the team has ended or `signal` aborts. */
export async function* followOutput(store: TeamReader, member: Name, signal: AbortSignal): AsyncGenerator<Buffer> {
  const path = store.paths.output(member);
  const reader = new OutputReader(store.disk, path);
  try {
    for await (const _ of looks(store, path, signal)) yield* reader.look();
  } finally {
    reader.close();
  }
}

/** The lines that a task's attempts printed so far, and later ones, until the team has ended or `signal` aborts. */
export async function* followTaskLines(
  store: TeamReader,
  task: string,
  signal: AbortSignal,
): AsyncGenerator<OutputNews> {
  const lines = new TaskLines(store, task);
  let shown = '';
  for await (const _ of looks(store, store.paths.logs, signal, watchFolder)) {
    store.board.fold();
    const news = { lines: lines.look(), unfinished: lines.unfinished };
    if (news.lines.length > 0 || news.unfinished !== shown) yield news;
    shown = news.unfinished;
  }
  yield { lines: [...lines.look(), ...lines.end()], unfinished: '' };
}

/** The lines of all members so far, and later ones, until the team has ended or `signal` aborts. */
export async function* followTeamLines(store: TeamReader, signal: AbortSignal): AsyncGenerator<OutputLine[]> {
  store.board.fold();
  const output = new TeamOutput(store, { since: 'start' });
  try {
    for await (const _ of looks(store, store.paths.logs, signal, watchFolder)) yield* portions(output.look());
    yield* portions(output.end());
  } finally {
    output.close();
  }
}

const PORTION = 1_000;

function* portions(lines: Iterable<OutputLine>): Generator<OutputLine[]> {
  let some: OutputLine[] = [];
  for (const line of lines) {
    some.push(line);
    if (some.length < PORTION) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** Yields whenever a file should be looked at: at once, after each change, and at least once a second. */
async function* looks(
  store: TeamReader,
  path: string,
  signal: AbortSignal,
  watching: WatchFile = watchTree,
): AsyncGenerator<void> {
  const waker = new Waker(store, [path], signal, watching);
  const end = new End(store);
  try {
    while (!signal.aborted) {
      // Check before the look, so that the look sees all that came before the end.
      const isReached = end.isReached();
      yield;
      if (isReached) return;
      await waker.wait();
    }
  } finally {
    waker.close();
    end.close();
  }
}

/** Detects the end of a team, also of a new team in its place. */
class End {
  readonly #store: TeamReader;
  #ino: number | undefined;
  #anew: ReturnType<typeof openForReading> | undefined;

  constructor(store: TeamReader) {
    this.#store = store;
    this.#ino = this.#found();
  }

  isReached(): boolean {
    const found = this.#found();
    if (found !== undefined && found !== this.#ino) {
      this.close();
      this.#anew = openForReading(this.#store.paths, this.#store);
      this.#ino = found;
    }
    const store = this.#anew ?? this.#store;
    return store.board.fold().phase === 'closed' || hasEnded(store);
  }

  close(): void {
    this.#anew?.close();
    this.#anew = undefined;
  }

  #found(): number | undefined {
    return lookAt(this.#store.disk, this.#store.paths.log)?.ino;
  }
}
