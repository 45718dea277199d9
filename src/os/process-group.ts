/**
 * Ends a process group whose leader this process started. Processes that moved to another group are ended by the sweep
 * (docs/specification.md R5.12). A group's number is not reused while one member lives. So the group is signalled only
 * while its leader runs, just after a member was seen, or within a few milliseconds after the leader's exit, in which
 * no number is reused.
 */
import { codeOf } from '../model/text/errors.ts';
import { pause } from './pause.ts';
import { processes } from './process-table.ts';
import { livingProcesses } from './process-tree.ts';
import type { ProcessTable } from './process-reading.ts';

/** Milliseconds to wait after SIGKILL; after that only processes that wait for a disk still live. */
const GONE_MS = 500;
const LOOK_EVERY_MS = 5;

/**
 * Sends SIGTERM, waits for the grace time, then sends SIGKILL; without a grace time it sends SIGKILL at once. Resolves
 * when no member is left, at the latest half a second after SIGKILL. Never rejects.
 *
 * @param graceMs milliseconds between SIGTERM and SIGKILL
 */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  if (graceMs > 0 && (await signalAndWait(leader, 'SIGTERM', graceMs))) return;
  await signalAndWait(leader, 'SIGKILL', GONE_MS);
}

async function signalAndWait(leader: number, signal: NodeJS.Signals, withinMs: number): Promise<boolean> {
  let isThere = signalGroup(leader, signal);
  for (let waited = 0; isThere && waited < withinMs; waited += LOOK_EVERY_MS) {
    await pause(LOOK_EVERY_MS);
    isThere = signalGroup(leader, 0) && hasLiving(leader);
  }
  return !isThere;
}

/** @returns false if the group has no member; true also for members that this user may not signal */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/**
 * Whether the group has a living member. `kill(-group, 0)` also counts zombies, which the init process of a container
 * may keep for seconds or for ever. If the table lists nothing, the result of the signal counts. So it does on macOS,
 * where each look would run `ps`.
 */
export function hasLiving(group: number, table: ProcessTable = processes): boolean {
  if (process.platform === 'darwin') return true;
  const alive = livingProcesses(table);
  return alive.length === 0 || alive.some((one) => one.group === group);
}
