/** What an agent prints: raw into the member's log, and a few lines a second as events. */
import { timestamp, type Clock } from '../../model/text/clock.ts';
import type { Name } from '../../model/text/names.ts';
import { printedLine } from '../../model/text/safe-text.ts';
import { OutputLog } from '../../store/board/output-log.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

const LINE_LIMIT = 400;
/** Events in one window at most; the log has everything. */
const EVENTS_PER_WINDOW = 8;
const WINDOW_MS = 1_000;
/** Lines that are kept for the report of a failure. */
const TAIL_LINES = 20;

export class MemberOutput {
  readonly #store: TeamStore;
  readonly #member: Name;
  readonly #log: OutputLog;
  readonly #clock: Clock;
  #task: string | undefined;
  #rest = '';
  #tail: string[] = [];
  #window = 0;
  #eventsInWindow = 0;
  /** When anything was last printed or said, in monotonic milliseconds. */
  lastProgress = 0;

  /** The prefix of every line: `[analyst] `. */
  readonly #tag: string;
  #isMidLine = false;

  constructor(store: TeamStore, member: Name, tag = '') {
    this.#store = store;
    this.#tag = tag;
    this.#member = member;
    this.#clock = store.clock;
    this.#log = new OutputLog(store.disk, store.paths.output(member), store.paths.outputParts(member));
  }

  /** @param attempt the attempt that the output belongs to; undefined for a turn without a task */
  begin(attempt: { readonly task: string; readonly claim: number } | undefined): void {
    this.#task = attempt?.task;
    this.#log.begin(attempt, timestamp(this.#clock.now()));
    this.#rest = '';
    this.#tail = [];
  }

  print(bytes: Buffer): void {
    this.lastProgress = this.#clock.monotonic();
    this.#log.append(this.#tagged(bytes));
    const lines = (this.#rest + bytes.toString('utf8')).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-LINE_LIMIT);
    this.#keep(lines);
    for (const line of lines.slice(-EVENTS_PER_WINDOW)) this.#tell('agent.printed', line);
  }

  say(text: string): void {
    this.lastProgress = this.#clock.monotonic();
    this.#log.append(this.#tagged(Buffer.from(`${text}\n`)));
    this.#keep(text.split('\n'));
    this.#tell('agent.said', text);
  }

  /** Records the last lines of a failed attempt or gate, stdout and stderr in the order in which they came. */
  recordFailure(about: { readonly gate?: string } = {}): void {
    const lines = this.#rest === '' ? this.#tail : [...this.#tail, this.#rest];
    if (lines.length === 0) return;
    this.#store.events.append({
      type: 'agent.last_lines',
      member: this.#member,
      task: this.#task,
      ...about,
      text: lines.slice(-TAIL_LINES).join('\n'),
    });
  }

  #keep(lines: readonly string[]): void {
    if (lines.length > 0)
      this.#tail = [
        ...this.#tail,
        ...lines.slice(-TAIL_LINES).map((line) => printedLine(line).slice(0, LINE_LIMIT)),
      ].slice(-TAIL_LINES);
  }

  end(): void {
    if (this.#rest !== '') this.#tell('agent.printed', this.#rest);
    this.#rest = '';
    this.#task = undefined;
    this.#log.begin(undefined, timestamp(this.#clock.now()));
  }

  close(): void {
    this.#log.close();
  }

  /** The same bytes with the tag in front of each line, wherever the chunks are cut. */
  #tagged(bytes: Buffer): Buffer {
    if (this.#tag === '') return bytes;
    const pieces: Buffer[] = [];
    for (let from = 0; from < bytes.length;) {
      const newline = bytes.indexOf(10, from);
      const to = newline < 0 ? bytes.length : newline + 1;
      if (!this.#isMidLine) pieces.push(Buffer.from(this.#tag));
      pieces.push(bytes.subarray(from, to));
      this.#isMidLine = newline < 0;
      from = to;
    }
    return Buffer.concat(pieces);
  }

  #tell(type: 'agent.printed' | 'agent.said', line: string): void {
    const said = (type === 'agent.printed' ? printedLine(line) : line).trim();
    const text = said === '' ? '' : `${this.#tag}${said}`.slice(0, LINE_LIMIT);
    const now = this.#clock.monotonic();
    if (now - this.#window >= WINDOW_MS) {
      this.#window = now;
      this.#eventsInWindow = 0;
    }
    if (text === '' || this.#eventsInWindow >= EVENTS_PER_WINDOW) return;
    this.#eventsInWindow += 1;
    this.#store.events.append({
      type,
      member: this.#member,
      task: this.#task,
      text,
    });
  }
}
