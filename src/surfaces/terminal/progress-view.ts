/**
 * Shows the progress of a run on stderr: a live view on a terminal, else one line for each event. It only reads, so it
 * can show a team of any process, and its failure never ends the work.
 */
import process from 'node:process';
import { COLORS, isName, isSpeech, openForReading, printedLine, realClock, statusOf, TeamOutput } from '../../app.ts';
import { teamEvents, timeOfDay } from '../../app.ts';
import type { Name, OutputLine, ShownEvent, TeamPaths, TeamReader } from '../../app.ts';
import { withEvent, NOTHING, type TeamActivity } from './team-activity.ts';
import { liveLines } from './live-lines.ts';
import { isEcho, plainLine } from './plain-line.ts';
import type { DashboardOptions, WatchedTeam } from './watch/watch-team.ts';
import { Screen, type Terminal } from './screen.ts';

export interface ProgressOptions {
  readonly stream: Terminal & { readonly isTTY?: boolean };
  /** Read for NO_COLOR and TERM. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** False for `--no-color`. */
  readonly color: boolean;
}

interface Progress {
  /** Draws the last state and leaves it on the screen. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Shows what one member does from now on, as lines, also on a terminal.
 * @throws UsageError `UNKNOWN_TEAM`
 */
export function startMemberLines(paths: TeamPaths, stream: Terminal, member: Name): Progress {
  const store = openForReading(paths, { clock: realClock });
  return new Watch(store, new PlainView(store, stream, member));
}

/**
 * Shows events from now on.
 * @throws UsageError `UNKNOWN_TEAM`
 */
export function startProgress(paths: TeamPaths, { stream, environment, color }: ProgressOptions): Progress {
  const isDumb = environment['TERM'] === 'dumb';
  const isColorful = color && !isDumb && (environment['NO_COLOR'] ?? '') === '';
  const store = openForReading(paths, { clock: realClock });
  const view =
    stream.isTTY === true && !isDumb ? new LiveView(store, stream, isColorful) : new PlainView(store, stream);
  return new Watch(store, view);
}

/** Shows a team until the person quits or the reader of stdout is gone. It loads the dashboard on demand. */
export const watchTeam = async (watch: WatchedTeam, options: DashboardOptions): Promise<void> =>
  (await import('./watch/watch-team.ts')).watchTeam(watch, options);

/** Whether {@link watchTeam} draws: a person is at a terminal that this process may use. */
export const isDrawn = async (options: Pick<DashboardOptions, 'isPlain' | 'out'>): Promise<boolean> =>
  (await import('./watch/watch-team.ts')).isDrawn(options);

interface View {
  /** The live view shows who works on what since when, so it needs the past; lines are written from now on. */
  readonly since: 'start' | 'now';
  tell(event: ShownEvent): void;
  close(): void;
}

/** Looks for output this often while no event comes; less often after so many looks without a line or an event. */
const OUTPUT_MS = 250;
const RESTS_AFTER = 40;
const RESTING_MS = 1_000;
/** Lines are written together, up to about so many characters. */
const PIECE = 64 * 1024;

/** Every event and every line that an agent prints, as it comes; a line is written whole. */
class PlainView implements View {
  readonly since = 'now';
  readonly #stream: Terminal;
  readonly #store: TeamReader;
  /** Undefined if it cannot be read; then the events have some lines of it. */
  #output: TeamOutput | undefined;
  #tick: NodeJS.Timeout | undefined;
  /** Looks since something was shown. */
  #vain = 0;

  /** The attempts that the members last claimed. */
  readonly #attempts = new Map<Name, { readonly task: string; readonly claim: number }>();

  /** Only this member is shown; undefined: all. */
  readonly #only: Name | undefined;

  constructor(store: TeamReader, stream: Terminal, only?: Name) {
    this.#stream = stream;
    this.#store = store;
    this.#only = only;
    this.#lookLater();
    try {
      store.board.fold();
      this.#output = new TeamOutput(store, { since: 'now' });
    } catch {
      // Too few descriptors, say; the team's processes meet and report it.
    }
  }

  #lookLater(): void {
    clearTimeout(this.#tick);
    this.#tick = setTimeout(
      () => {
        this.#vain += 1;
        this.#printOutput((output) => output.look(this.#only));
        this.#lookLater();
      },
      this.#vain < RESTS_AFTER ? OUTPUT_MS : RESTING_MS,
    );
  }

  tell(event: ShownEvent): void {
    // What follows may print: no look of a view that rests is waited for.
    if (this.#vain >= RESTS_AFTER) {
      this.#vain = 0;
      this.#lookLater();
    }
    // The output has every line; the events have some of them.
    if (this.#output !== undefined && (isSpeech(event) || event.type === 'agent.last_lines')) return;
    if (isEcho(event)) return;
    const { member } = event;
    if (this.#only !== undefined && member !== this.#only) return;
    // What an agent printed before its event is in its file by now.
    if (member !== undefined && isName(member)) this.#printBefore(member, event);
    this.#stream.write(`${plainLine(event)}\n${answerLine(this.#store, event)}`);
  }

  /** What the member printed before its event: until the end of the attempt that it last claimed. */
  #printBefore(member: Name, event: ShownEvent): void {
    if (event.type === 'task.claimed' && 'task' in event && typeof event.task === 'object')
      this.#attempts.set(member, { task: event.task.id, claim: event.task.claims });
    // What follows from a start or a claim comes after it.
    if (event.type === 'member.started' || event.type === 'task.claimed') return;
    const attempt = this.#attempts.get(member);
    this.#printOutput((output) =>
      attempt === undefined ? output.look(member) : output.lookUpTo(member, attempt.task, attempt.claim),
    );
  }

  close(): void {
    clearTimeout(this.#tick);
    this.#printOutput((output) => output.end(this.#only));
  }

  #printOutput(linesOf: (output: TeamOutput) => Iterable<OutputLine>): void {
    if (this.#output === undefined) return;
    const at = timeOfDay(realClock.now());
    let text = '';
    const write = (): void => {
      if (text !== '') this.#stream.write(text);
      text = '';
    };
    try {
      for (const { member, line } of linesOf(this.#output)) {
        this.#vain = 0;
        text += `${`${at} [${member}] ${printedLine(line)}`.trimEnd()}\n`;
        // A write for each of a million lines would hold up the lead for seconds.
        if (text.length >= PIECE) write();
      }
    } catch {
      this.#output.close();
      this.#output = undefined;
    }
    write();
  }
}

/** How to answer a request that was just made; empty for any other event. */
function answerLine({ board, paths: { name } }: TeamReader, event: ShownEvent): string {
  if (event.type !== 'request.made' || !('request' in event)) return '';
  const asked = board.fold().open.get(event.request ?? '');
  if (asked === undefined) return '';
  const { id, kind, task } = asked;
  if (kind === 'question') return `         answer it: teams answer ${name} ${id} TEXT\n`;
  if (kind === 'permission') return `         allow it: teams answer ${name} ${id} yes, always, or no REASON\n`;
  return task === undefined
    ? ''
    : `         decide: teams task approve ${name} ${task}, or teams task ${kind === 'consensus' ? 'revise' : 'refuse'} ${name} ${task} TEXT\n`;
}

/** Least time between two drawings. */
const DRAW_MS = 100;
/** Redraws this often without events, because elapsed times change. */
const TICK_MS = 1_000;
/** Reading a team is expensive: it may take at most this share of the time. */
const SHARE = 0.05;

class LiveView implements View {
  readonly since = 'start';
  readonly #store: TeamReader;
  readonly #screen: Screen;
  readonly #isColorful: boolean;
  readonly #startedAt = realClock.now();
  readonly #tick: NodeJS.Timeout;
  readonly #leave = (): void => this.#screen.leave();
  readonly #redraw = (): void => this.#draw();
  #heard: TeamActivity = NOTHING;
  #soon: NodeJS.Timeout | undefined;
  #pause = DRAW_MS;

  constructor(store: TeamReader, terminal: Terminal, isColorful: boolean) {
    this.#store = store;
    this.#screen = new Screen(terminal);
    this.#isColorful = isColorful;
    this.#tick = setInterval(this.#redraw, TICK_MS);
    process.on('exit', this.#leave);
    process.on('SIGWINCH', this.#redraw);
    this.#draw();
  }

  tell(event: ShownEvent): void {
    this.#heard = withEvent(this.#heard, event);
    this.#soon ??= setTimeout(this.#redraw, this.#pause);
  }

  close(): void {
    clearInterval(this.#tick);
    process.off('exit', this.#leave);
    process.off('SIGWINCH', this.#redraw);
    this.#draw();
    clearTimeout(this.#soon);
    this.#screen.leave();
  }

  #draw(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    const began = realClock.monotonic();
    const lines = this.#lines();
    if (lines !== undefined) this.#screen.draw(lines);
    this.#pause = Math.max(DRAW_MS, (realClock.monotonic() - began) / SHARE);
  }

  #lines(): string[] | undefined {
    try {
      const status = statusOf(this.#store);
      const times = { now: realClock.now(), startedAt: this.#startedAt };
      return liveLines({ status, heard: this.#heard, colors: this.#colors(), ...times }, this.#screen.size);
    } catch {
      // The team was archived, or its disk fails, which the working processes report. The last drawing stays.
      return undefined;
    }
  }

  #colors(): ReadonlyMap<string, number> {
    if (!this.#isColorful) return new Map();
    const known = new Set<number>(COLORS);
    const members = this.#store.config.read()?.members.filter(({ color }) => known.has(color)) ?? [];
    return new Map(members.map(({ name, color }) => [name, color]));
  }
}

/** The processes that work on the team meet and report the same error; the view only ends. */
const ignored = (): void => {};

/** Follows the events of a team and passes them to a view. */
class Watch implements Progress {
  readonly #store: ReturnType<typeof openForReading>;
  readonly #view: View;
  readonly #stop = new AbortController();
  readonly #following: Promise<void>;
  #ended: Promise<void> | undefined;

  constructor(store: ReturnType<typeof openForReading>, view: View) {
    this.#store = store;
    this.#view = view;
    this.#following = this.#follow().catch(ignored);
  }

  stop(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #follow(): Promise<void> {
    const { since } = this.#view;
    for await (const event of teamEvents(this.#store, { follow: true, until: this.#stop.signal, since }))
      this.#view.tell(event);
  }

  async #end(): Promise<void> {
    this.#stop.abort();
    await this.#following;
    this.#view.close();
    this.#store.close();
  }
}
