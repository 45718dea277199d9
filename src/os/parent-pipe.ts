/**
 * The parent pipe: a teammate's stdin is a pipe held by its lead. If it ends, the lead is gone, and the teammate ends
 * with all processes that it started.
 */
import type { Readable } from 'node:stream';
import type { Mark } from '../model/agent/process-mark.ts';
import { ownIdentity } from './process-table.ts';
import { sweep, type SweepSeams } from './sweep.ts';

/**
 * Calls back once, after the stream has ended or failed. The stream starts to flow here: attach other readers before.
 */
export function onParentExit(stdin: Readable, callback: () => void): void {
  let isCut = false;
  const cut = (): void => {
    if (isCut) return;
    isCut = true;
    callback();
  };
  for (const event of ['end', 'close', 'error']) stdin.on(event, cut);
  if (stdin.readableEnded || stdin.destroyed) queueMicrotask(cut);
  else stdin.resume();
}

/**
 * Ends this process with its lead. When the pipe ends, it ends all processes that carry its mark or descend from it,
 * except itself. Then it calls `exit`, also after a failed sweep.
 */
export function exitWithParent(stdin: Readable, mark: Mark, exit: () => void, seams: SweepSeams = {}): void {
  onParentExit(stdin, () => void sweep([mark], [ownIdentity()], seams).then(exit, exit));
}
