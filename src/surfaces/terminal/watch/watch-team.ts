/**
 * The dashboard of a team: `teams watch`, and `teams run` on a terminal. It only reads; what the person orders goes
 * through `actions`. Without a terminal, or with `--plain`, it prints plain lines.
 */
import process from 'node:process';
import { isInForeground, isTeamError, type PastWatch, type TeamWatch } from '../../../app.ts';
import type { Notify } from './notifier.ts';
import { PlainStream } from './plain-stream.ts';

/** So often the plain lines are looked at for problems while no event comes. */
const LOOK_MS = 2_000;

/** What the dashboard can do. Each method throws what its verb would. */
export interface Actions {
  send(to: string, text: string): Promise<unknown>;
  answer(id: string, text: string): Promise<unknown>;
  decide(task: string, answer: { readonly approve: boolean; readonly text: string }): Promise<unknown>;
  revise(task: string, text: string): Promise<unknown>;
  /** Undefined: all failed tasks. @returns what happened, as a sentence */
  retry(task: string | undefined): Promise<string>;
  skip(task: string): Promise<unknown>;
  /** Pauses the team, or ends its pause. @returns what happened, as a sentence */
  pause(): Promise<string>;
  /** Asks a member to finish its step and leave. */
  stop(member: string): Promise<unknown>;
  /** What changed; undefined: since the run began. */
  diff(task: string | undefined): Promise<string>;
  why(task: string | undefined): Promise<string>;
}

/** A team now, or its past. */
export type WatchedTeam = Pick<TeamWatch, 'store' | 'projection' | 'look' | 'follow'>;

export interface DashboardOptions {
  readonly isPlain: boolean;
  readonly color: boolean;
  readonly actions: Actions;
  readonly notify: Notify;
  /** Aborts when the reader is gone, or the process must end. */
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
  /** The terminal to draw on. */
  readonly out?: NodeJS.WriteStream;
  /** The run in the foreground that this view belongs to. */
  readonly run?: ForegroundRun;
  /** What is watched, if it is the past. */
  readonly past?: PastWatch;
}

/** A run that ends with its view, and its view with it. */
export interface ForegroundRun {
  /** The person pressed Ctrl-C or `q`: the first time stops in order, the second at once. */
  stop(): void;
  /** Asks what to do at the end of a run that failed; the choice is made once. */
  readonly ending: Ending | undefined;
  /** Called when {@link ending} or {@link remark} changed. */
  onChange: () => void;
  /** What the lead says meanwhile. */
  readonly remark: string;
}

export interface Ending {
  /** When the view closes by itself, in monotonic milliseconds; undefined once the person has pressed a key. */
  readonly closesAt: number | undefined;
  stay(): void;
  /** `again`: something was retried, lead it again. */
  choose(choice: 'end' | 'again'): void;
}

/** ink and its colour library read the environment when they are loaded; what they must not see is put back after. */
async function loadSession(color: boolean) {
  const before = { ...process.env };
  // ink draws nothing under CI, and the colour library takes any `CI` for a terminal without colours.
  for (const name of Object.keys(process.env))
    if (name === 'CI' || name === 'CONTINUOUS_INTEGRATION' || name.startsWith('CI_'))
      Reflect.deleteProperty(process.env, name);
  if (!color) process.env['FORCE_COLOR'] = '0';
  try {
    return await import('./watch-session.ts');
  } finally {
    for (const [name, value] of Object.entries(before)) process.env[name] = value;
    if (before['FORCE_COLOR'] === undefined) Reflect.deleteProperty(process.env, 'FORCE_COLOR');
  }
}

export const isDrawn = ({ isPlain, out }: Pick<DashboardOptions, 'isPlain' | 'out'>): boolean =>
  !isPlain && process.stdin.isTTY && (out ?? process.stdout).isTTY && isInForeground();

export async function watchTeam(watch: WatchedTeam, options: DashboardOptions): Promise<void> {
  if (!isDrawn(options)) return tell(watch, options);
  const { WatchSession } = await loadSession(options.color);
  await new WatchSession(watch, options).run();
}

async function tell(watch: WatchedTeam, { signal, write }: DashboardOptions): Promise<void> {
  const stream = new PlainStream(write);
  const look = (): void => {
    stream.problems(watch.look().problems);
    stream.flush();
  };
  // A lead or a member that was killed writes no event.
  const looking = setInterval(() => {
    try {
      look();
    } catch (error) {
      // The team was archived meanwhile: then what follows it ends, too.
      if (!isTeamError(error)) throw error;
    }
  }, LOOK_MS);
  try {
    for await (const events of watch.follow(signal, { endsWithRun: true })) {
      stream.add(events);
      look();
    }
  } finally {
    clearInterval(looking);
  }
}
