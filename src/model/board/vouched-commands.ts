/**
 * Whose command a task runs: the text over which a record's `mac` is made and checked. The fold keeps what the check
 * needs and judges nothing: it has no key.
 */
import type { BoardEvent, Body } from './event.ts';
import { isExecutable, type Work } from './task.ts';

/** What a task runs: everything of it that a process executes or gets as its environment. */
export interface TaskCommand extends Pick<Work, 'run' | 'verify' | 'env'> {
  readonly task: string;
}

/** A record that gave commands to tasks. One mac, or one signature, vouches for all of them, in their order. */
export interface Voucher {
  readonly event: string;
  readonly mac: string | undefined;
  readonly signature: string | undefined;
  readonly commands: readonly TaskCommand[];
}

/**
 * The commands that a record brings to the board, in their order. A changed task is one of them also without a command:
 * that it has none any more is vouched for.
 */
export const commandsOf = (body: Body): TaskCommand[] =>
  (body.type === 'batch' ? body.changes : [body]).flatMap((change) => {
    const gives =
      change.type === 'task.changed' || (change.type === 'task.created' && isExecutable(change.fields.work));
    if (!gives) return [];
    const { run, verify, env } = change.fields.work;
    return [{ task: change.task, run, verify, env }];
  });

export function voucherOf(event: BoardEvent): Voucher | undefined {
  if (event.type !== 'batch' && event.type !== 'task.created' && event.type !== 'task.changed') return undefined;
  const commands = commandsOf(event);
  const { id, mac, signature } = event;
  return commands.length === 0 ? undefined : { event: id, mac, signature, commands };
}

/** What mac and signature are made over: the team, the record and its commands, so that a copied mac vouches for nothing else. */
export const vouchedText = (team: string, event: string, commands: readonly TaskCommand[]) => ({
  vouches: 1,
  team,
  event,
  commands,
});
