/**
 * Ends a process group whose leader this process started. What moved to a group of its own is the sweep's business
 * (DESIGN §4). A group's number is nobody else's while one member of it lives, so it is signalled only while its leader
 * runs, while a member was just seen, or in the few milliseconds after the leader's exit, in which no number comes round.
 */
import { codeOf } from '../model/text/errors.ts';
import { pause } from './pause.ts';
import { processes } from './process-table.ts';
import { livingProcesses } from './process-tree.ts';
import type { ProcessTable } from './process-identity.ts';

/** After SIGKILL only a process that waits for a disk is still alive. */
const GONE_MS = 500;
const LOOK_EVERY_MS = 5;

/**
 * SIGTERM, the grace, SIGKILL; with no grace SIGKILL at once. Resolves when nobody is left, else half a second after
 * SIGKILL. Never rejects.
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

/** @returns false when the group has no member any more; one that may not be signalled is there */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/**
 * False when every member has ended. `kill(-group, 0)` also counts zombies, which an init process of a container may
 * leave for seconds or for ever. A table that lists nothing cannot tell, so the answer of the signal stands; macOS keeps
 * it too, because each look there is a run of `ps`.
 */
export function hasLiving(group: number, table: ProcessTable = processes): boolean {
  if (process.platform === 'darwin') return true;
  const alive = livingProcesses(table);
  return alive.length === 0 || alive.some((one) => one.group === group);
}
