/**
 * Identifies processes and says whether they live. A pid alone is not an identity, because pids are reused; pid, start
 * time, boot and pid namespace together are. All reads use the {@link ProcessTable} interface, so that tests can
 * replace it. If the state cannot be determined it is `unknown`, never `dead`.
 */
import { psTable } from './process-table-darwin.ts';
import { linuxTable } from './process-table-linux.ts';
import type { ProcessIdentity } from '../model/agent/process-identity.ts';
import type { ProcessStat, ProcessTable } from './process-reading.ts';

export type Liveness = 'alive' | 'dead' | 'unknown';

export const processes: ProcessTable = process.platform === 'linux' ? linuxTable() : psTable();

/** The identity of a running process; undefined if it is gone or hidden. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const seen = processes.stat(pid);
  if (typeof seen === 'string') return undefined;
  return { pid, startTime: seen.startTime, bootId: processes.bootId(), pidNamespace: processes.pidNamespace() };
}

let own: ProcessIdentity | undefined;

/** The identity of this process, read once. If it cannot be read, other processes will judge it `unknown`. */
export function ownIdentity(): ProcessIdentity {
  own ??= identityOf(process.pid) ?? { pid: process.pid, startTime: '', bootId: '', pidNamespace: '' };
  return own;
}

/**
 * A process is dead only in these cases: it does not exist, has another start time, is a zombie, or belongs to another
 * boot. (A team directory is on a local file system, so another boot is an earlier one of this host.) A stopped process
 * is alive.
 */
export function livenessOf(identity: ProcessIdentity, table: ProcessTable = processes): Liveness {
  const { pid, startTime, bootId, pidNamespace } = identity;
  const isWhole = Number.isSafeInteger(pid) && pid > 0 && startTime !== '' && bootId !== '';
  if (!isWhole || table.bootId() === '') return 'unknown';
  if (table.bootId() !== bootId) return 'dead';
  if (pidNamespace === '' || table.pidNamespace() !== pidNamespace) return 'unknown';
  const seen = table.stat(pid);
  if (seen === 'gone') return 'dead';
  if (seen === 'unreadable') return 'unknown';
  return seen.startTime === startTime && isLiving(seen) ? 'alive' : 'dead';
}

/**
 * A zombie is dead. Exception: if only its first thread has ended, it also shows as a zombie, but its other threads
 * run.
 */
export const isLiving = ({ state, threads }: ProcessStat): boolean =>
  state !== 'X' && state !== 'x' && (state !== 'Z' || threads > 1);

/** Whether a process was stopped by a signal or by a debugger. */
export const isStopped = (pid: number): boolean => ['T', 't'].includes(stateOf(pid) ?? '');

/** The state letter, for messages; undefined if the process is gone or hidden. */
export function stateOf(pid: number, table: ProcessTable = processes): string | undefined {
  const seen = table.stat(pid);
  return typeof seen === 'string' ? undefined : seen.state;
}
