/**
 * The liveness cord: a teammate's stdin is a pipe that its lead holds. When it ends the lead is gone, and the teammate
 * ends with everything that it started.
 */
import type { Readable } from 'node:stream';
import type { Mark } from '../model/agent/process-mark.ts';
import { ownIdentity } from './process-table.ts';
import { sweep, type SweepSeams } from './sweep.ts';

/** Calls back once, when the stream has ended or failed. The stream flows from here on: attach other readers before. */
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
 * Ties this process to its lead: when the cord is cut it ends all that carries its mark or descends from it, itself
 * left out, and then calls `exit`, whatever became of the sweep.
 */
export function exitWithParent(stdin: Readable, mark: Mark, exit: () => void, seams: SweepSeams = {}): void {
  onParentExit(stdin, () => void sweep([mark], [ownIdentity()], seams).then(exit, exit));
}
