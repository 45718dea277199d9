/**
 * `teams watch`: a team on the terminal, live. It only looks; what a person orders from it goes through `actions`. Where
 * there is no terminal to draw on, or nobody wants it, the same is told as plain lines.
 */
import process from 'node:process';
import type { TeamWatch } from '../../../app.ts';
import { PlainStream } from './plain-stream.ts';

/** What can be done from the view. Each throws what its verb would. */
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
  /** Aborts when nobody reads any more, or the process is told to end. */
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
}

export async function watchTeam(watch: TeamWatch, options: DashboardOptions): Promise<void> {
  const isDrawn = !options.isPlain && process.stdout.isTTY && process.stdin.isTTY;
  if (!isDrawn) return tell(watch, options);
  // ink and its colours ask the environment when they are loaded: they know no NO_COLOR, and draw nothing under CI.
  if (!options.color) process.env['FORCE_COLOR'] = '0';
  process.env['CI'] = 'false';
  process.env['CONTINUOUS_INTEGRATION'] = 'false';
  const { WatchSession } = await import('./watch-session.ts');
  await new WatchSession(watch, options).run();
}

async function tell(watch: TeamWatch, { signal, write }: DashboardOptions): Promise<void> {
  const stream = new PlainStream(write);
  for await (const events of watch.follow(signal)) {
    stream.add(events);
    stream.problems(watch.look().problems);
    stream.flush();
  }
}
