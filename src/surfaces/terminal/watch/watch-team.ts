/**
 * `teams watch`: shows a team live. It only reads; what the person orders goes through `actions`. Without a terminal,
 * or with `--plain`, it prints plain lines.
 */
import process from 'node:process';
import type { TeamWatch } from '../../../app.ts';
import { PlainStream } from './plain-stream.ts';

/** What the dashboard can do. Each method throws what its verb would. */
export interface Actions {
  send(to: string, text: string): Promise<unknown>;
  answer(id: string, text: string): Promise<unknown>;
  decide(task: string, answer: { readonly approve: boolean; readonly text: string }): Promise<unknown>;
  revise(task: string, text: string): Promise<unknown>;
}

export interface DashboardOptions {
  readonly isPlain: boolean;
  readonly color: boolean;
  readonly actions: Actions;
  /** Aborts when the reader is gone, or the process must end. */
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
}

export async function watchTeam(watch: TeamWatch, options: DashboardOptions): Promise<void> {
  const isDrawn = !options.isPlain && process.stdout.isTTY && process.stdin.isTTY;
  if (!isDrawn) return tell(watch, options);
  // ink and its colour library read the environment when they are loaded: they ignore NO_COLOR, and draw nothing under
  // CI.
  if (!options.color) process.env['FORCE_COLOR'] = '0';
  process.env['CI'] = 'false';
  process.env['CONTINUOUS_INTEGRATION'] = 'false';
  const { WatchSession } = await import('./watch-session.ts');
  await new WatchSession(watch, options).run();
}

async function tell(watch: TeamWatch, { signal, write }: DashboardOptions): Promise<void> {
  const stream = new PlainStream(write);
  for await (const events of watch.follow(signal, { endsWithRun: true })) {
    stream.add(events);
    stream.problems(watch.look().problems);
    stream.flush();
  }
}
