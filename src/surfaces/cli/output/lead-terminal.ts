/** What a lead shows on stderr: by another process on a terminal, else as lines from this one. */
import { TerminalProcess, type TeamPaths } from '../../../app.ts';
import type { CliContext } from '../context.ts';

interface Shown {
  /** Draws the last state and leaves it. */
  stop(): Promise<void>;
}

/** Call before leading: from then on this process never writes to a terminal. */
export const freeTerminal = ({ io }: CliContext): TerminalProcess | undefined =>
  io.own?.handOver(() => new TerminalProcess(io.environment));

/** Shows the progress of a team from now on; with `--quiet` nothing. */
export async function showProgress(
  context: CliContext,
  paths: TeamPaths,
  here: () => Promise<Shown>,
): Promise<Shown | undefined> {
  const terminal = freeTerminal(context);
  context.io.own?.stderr.setHint(`${paths.events} has all events`);
  if (context.flags.quiet) return undefined;
  if (terminal === undefined || context.io.stderr.isTTY !== true) return here();
  terminal.order({ do: 'show', root: paths.root, team: paths.name, color: context.flags.color });
  return {
    stop: () => {
      terminal.order({ do: 'rest' });
      return terminal.settled();
    },
  };
}
