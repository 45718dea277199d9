/** What the agents of a team print, as whole lines: of all members, of one, or of one task. Consumes nothing. */
import { LEAD, type Name } from '../../model/text/names.ts';
import { printedLine } from '../../model/text/safe-text.ts';
import { OutputReader, type OutputPlace } from '../../store/board/output-reader.ts';
import { endOfPart, TaskOutput } from '../../store/board/output-parts.ts';
import { lookAt } from '../../store/files/disk.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';

export interface OutputLine {
  readonly member: Name;
  readonly line: string;
}

/** A line longer than this many characters is shown in pieces of this size. */
const PIECE = 64 * 1024;

/** Cuts bytes into lines. The unfinished line waits for its end. */
class Lines {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #rest = '';

  /** The line that has no end yet, such as a progress bar that writes over itself. */
  get unfinished(): string {
    return this.#rest;
  }

  add(bytes: Buffer): string[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    while (this.#rest.length > PIECE) {
      lines.push(this.#rest.slice(0, PIECE));
      this.#rest = this.#rest.slice(PIECE);
    }
    return lines;
  }

  end(): string[] {
    const rest = this.#rest + this.#decoder.decode();
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }
}

type Seen = Pick<TeamReader, 'disk' | 'paths' | 'board'>;

interface Follower {
  readonly reader: OutputReader;
  readonly lines: Lines;
}

/** The output of every member, look by look. */
export class TeamOutput {
  readonly #store: Seen;
  readonly #members = new Map<Name, Follower>();

  /** @param since `now`: what was printed before is left out */
  constructor(store: Seen, { since }: { readonly since: 'start' | 'now' }) {
    this.#store = store;
    if (since === 'now') for (const member of membersOf(store)) this.#of(member).reader.skip();
  }

  /** The whole lines since the last look: of one member, or of all. */
  *look(only?: Name): Generator<OutputLine> {
    for (const member of only === undefined ? membersOf(this.#store) : [only]) yield* this.#linesOf(member);
  }

  /** The whole lines of a member since the last look, up to the end of this attempt; what it printed later waits. */
  *lookUpTo(member: Name, task: string, claim?: number): Generator<OutputLine> {
    yield* this.#linesOf(member, endOfPart(this.#store, member, task, claim));
  }

  /** The last look, at one member or at all: also lines without an end. */
  *end(only?: Name): Generator<OutputLine> {
    yield* this.look(only);
    for (const [member, { lines }] of this.#members)
      if (only === undefined || member === only) for (const line of lines.end()) yield { member, line };
    this.close();
  }

  /** What a member is printing at the last look: a line without an end. */
  unfinished(member: Name): string {
    return this.#members.get(member)?.lines.unfinished ?? '';
  }

  *#linesOf(member: Name, until?: OutputPlace): Generator<OutputLine> {
    const { reader, lines } = this.#of(member);
    for (const bytes of reader.look(until)) for (const line of lines.add(bytes)) yield { member, line };
  }

  close(): void {
    for (const { reader } of this.#members.values()) reader.close();
    this.#members.clear();
  }

  #of(member: Name): Follower {
    const { disk, paths } = this.#store;
    const known = this.#members.get(member);
    const follower = known ?? { reader: new OutputReader(disk, paths.output(member)), lines: new Lines() };
    this.#members.set(member, follower);
    return follower;
  }
}

/** The members, and the lead, whose gates print. The output of a lead in the background is this process's own. */
function membersOf({ disk, paths, board }: Seen): Name[] {
  const members = [...board.board.members.keys()];
  return isOwnStream(disk, paths.output(LEAD)) ? members : [...members, LEAD];
}

/** Whether this process writes its own stderr into this file: to print it would never end. */
function isOwnStream(disk: Seen['disk'], path: string): boolean {
  const file = lookAt(disk, path);
  if (file === undefined) return false;
  try {
    const own = disk.fstatSync(2);
    return own.ino === file.ino && own.dev === file.dev;
  } catch {
    return false;
  }
}

/** What the attempts of one task printed, look by look: whole lines, with a heading for each attempt after the first. */
export class TaskLines {
  readonly #store: Seen;
  readonly #output: TaskOutput;
  readonly #lines = new Map<number, Lines>();
  readonly #members = new Set<Name>();

  constructor(store: Seen, task: string) {
    this.#store = store;
    this.#output = new TaskOutput(store, task);
  }

  look(): string[] {
    for (const member of this.#store.board.board.members.keys()) this.#members.add(member);
    const shown: string[] = [];
    for (const { part, bytes } of this.#output.look(this.#members)) {
      const known = this.#lines.get(part.claim);
      const lines = known ?? new Lines();
      if (known === undefined && this.#lines.size > 0) shown.push(...this.end(), headingOf(part.claim, part.member));
      this.#lines.set(part.claim, lines);
      for (const line of lines.add(bytes)) shown.push(line);
    }
    return shown;
  }

  /** What the latest attempt is printing: a line without an end. */
  get unfinished(): string {
    return [...this.#lines.values()].at(-1)?.unfinished ?? '';
  }

  /** Lines without an end. */
  end(): string[] {
    return [...this.#lines.values()].flatMap((lines) => lines.end());
  }
}

/** What came since the last look. */
export interface OutputNews {
  readonly lines: readonly string[];
  /** The line that has no end yet; empty if there is none. */
  readonly unfinished: string;
}

/** Lines that are kept of one subject. */
const KEPT = 10_000;

/** The last lines of a task or a member, for a view that asks for what came since it last asked. */
export class SubjectLines {
  readonly #look: () => OutputNews;
  readonly #close: () => void;
  #lines: string[] = [];
  #total = 0;

  constructor(store: Seen, subject: { readonly task: string } | { readonly member: Name }) {
    if ('task' in subject) {
      const lines = new TaskLines(store, subject.task);
      this.#look = () => ({ lines: lines.look(), unfinished: lines.unfinished });
      this.#close = () => {};
    } else {
      const output = new TeamOutput(store, { since: 'start' });
      this.#look = () => ({
        lines: [...output.look(subject.member)].map(({ line }) => line),
        unfinished: output.unfinished(subject.member),
      });
      this.#close = () => output.close();
    }
  }

  /**
   * @param known how many lines the caller has
   * @returns the lines after those, the one that has no end yet, and how many whole ones there are in all; older ones
   *   than are kept are left out
   */
  since(known: number): OutputNews & { readonly total: number } {
    const { lines, unfinished } = this.#look();
    this.#total += lines.length;
    this.#lines = [...this.#lines, ...lines.map(printedLine)].slice(-KEPT);
    const fresh = Math.max(0, Math.min(this.#lines.length, this.#total - known));
    return {
      lines: fresh === 0 ? [] : this.#lines.slice(-fresh),
      total: this.#total,
      unfinished: printedLine(unfinished),
    };
  }

  close(): void {
    this.#close();
  }
}

const headingOf = (claim: number, member: Name): string => `--- attempt ${claim}, ${member} ---`;
