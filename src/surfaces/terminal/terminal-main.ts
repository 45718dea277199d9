/**
 * The process that writes to a terminal for a lead: it carries out the orders of its channel, one after the other, and
 * confirms its start and each of them. It ends with the channel or with the terminal. See `runtime/process/terminal-process.ts`.
 */
import process from 'node:process';
import { parseName, teamPaths, type TerminalOrder } from '../../app.ts';
import { startProgress } from './progress-view.ts';

type Progress = ReturnType<typeof startProgress>;

/** Carries out the orders of this process's channel until it ends. */
export async function serveTerminal(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // The lead decides what a signal means; this process ends after it.
    });
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(0));
  let progress: Progress | undefined;
  let last = Promise.resolve();
  const carryOut = async (order: TerminalOrder): Promise<void> => {
    if (order.do === 'show') progress ??= show(order);
    else if (order.do === 'rest') {
      await progress?.stop();
      progress = undefined;
    } else await printed(order);
    tellLead();
  };
  tellLead();
  await new Promise<void>((resolve) => {
    process.on('message', (order: TerminalOrder) => {
      last = last.then(() => carryOut(order));
    });
    process.once('disconnect', resolve);
  });
  await last;
  await progress?.stop();
}

/** Says that this process has begun, then that an order was carried out. The lead may be gone by now. */
const tellLead = (): void => void process.send?.({ done: true }, undefined, {}, () => {});

const show = ({ root, team, color }: Extract<TerminalOrder, { do: 'show' }>): Progress =>
  startProgress(teamPaths(root, parseName('team', team)), {
    stream: process.stderr,
    environment: process.env,
    color,
  });

const printed = ({ to, text }: Extract<TerminalOrder, { do: 'print' }>): Promise<void> =>
  new Promise((resolve) => {
    (to === 'stdout' ? process.stdout : process.stderr).write(text, () => resolve());
  });
