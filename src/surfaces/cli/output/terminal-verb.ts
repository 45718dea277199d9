/** The process that writes to the terminal for a lead; started by `runtime/process/terminal-process.ts`. */
import { CliContext } from '../context.ts';
import { settings } from '../input/settings.ts';
import type { CliIo } from '../io.ts';

/** @returns the exit code, when its lead needs it no longer */
export async function showTerminal(io: CliIo): Promise<number> {
  const { serveTerminal } = await import('../../terminal/terminal-main.ts');
  const { teamActions } = await import('./team-actions.ts');
  await serveTerminal((paths) => {
    const flags = { root: paths.root, json: false, quiet: false, verbose: false, yes: false, color: true };
    const context = new CliContext(io, flags);
    const { notify, watchdogWarningMs: stalledAfterMs, prices } = settings(context).merged.config;
    return { actions: teamActions(context, paths, { isLedHere: true }), notify, watch: { stalledAfterMs, prices } };
  });
  return 0;
}
