/** What a lead shows on stderr: by another process on a terminal, else as lines from this one. */
import { TerminalProcess, type TeamPaths } from '../../../app.ts';
import type { CliContext } from '../context.ts';

/** What a person at the terminal of a run wants after its end. */
type Ending = 'end' | 'again';

export interface ShownRun {
  /** Draws the last state and leaves it. */
  stop(): Promise<void>;
  /** Called when the person at the terminal stops the run. */
  onStop?: (listener: () => void) => void;
  /** Asks what to do after a run that failed. */
  ask?: (signal: AbortSignal) => Promise<Ending>;
}

/** How long a view waits for a key at the end of a run that failed: time to mend a file in another window. */
const ENDING_S = 300;

/** Call before leading: from then on this process never writes to a terminal. */
export const freeTerminal = ({ io }: CliContext): TerminalProcess | undefined =>
  io.own?.handOver(() => new TerminalProcess(io.environment));

/** Shows the progress of a team from now on; with `--quiet` nothing. */
export async function showProgress(
  context: CliContext,
  paths: TeamPaths,
  here: () => Promise<ShownRun>,
): Promise<ShownRun | undefined> {
  const terminal = freeTerminal(context);
  context.io.own?.stderr.setHint(`${paths.events} has all events`);
  if (context.flags.quiet) return undefined;
  if (terminal === undefined || context.io.stderr.isTTY !== true) return here();
  const { color } = context.flags;
  const hasKeys = context.isInteractive;
  terminal.order({ do: 'show', root: paths.root, team: paths.name, color, hasKeys });
  return {
    stop: () => {
      terminal.order({ do: 'rest' });
      return terminal.settled();
    },
    ...(hasKeys ? keysOf(terminal) : {}),
  };
}

function keysOf(terminal: TerminalProcess): Pick<ShownRun, 'onStop' | 'ask'> {
  let stopped = (): void => {};
  let chosen = (_: Ending): void => {};
  terminal.onWish = (wish) => {
    if (wish === 'stop') stopped();
    chosen(wish === 'again' ? 'again' : 'end');
  };
  return {
    onStop: (listener) => (stopped = listener),
    ask: async (signal) => {
      // The channel to the terminal does not keep this process alive.
      const waiting = setInterval(() => {}, 60_000);
      const choice = await new Promise<Ending>((resolve) => {
        chosen = resolve;
        signal.addEventListener('abort', () => resolve('end'), { once: true });
        if (signal.aborted || !terminal.order({ do: 'ask', seconds: ENDING_S })) resolve('end');
      });
      clearInterval(waiting);
      return choice;
    },
  };
}
