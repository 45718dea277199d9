/**
 * Who a process is, and whether it lives. A pid alone names nobody, since pids come round again; pid, start time,
 * boot and pid namespace together do. Everything is read through the {@link ProcessTable} seam, so that tests can
 * bring a table of their own. What cannot be known is `unknown`, never `dead`.
 */
import { psTable } from './process-table-darwin.ts';
import { linuxTable } from './process-table-linux.ts';
import type { ProcessIdentity, ProcessStat, ProcessTable } from './process-identity.ts';

export type Liveness = 'alive' | 'dead' | 'unknown';

export const processes: ProcessTable = process.platform === 'linux' ? linuxTable() : psTable();

/** The identity of a running process; undefined when it is gone or hidden. */
export function identityOf(pid: number, table: ProcessTable = processes): ProcessIdentity | undefined {
  const seen = table.stat(pid);
  if (typeof seen === 'string') return undefined;
  return { pid, startTime: seen.startTime, bootId: table.bootId(), pidNamespace: table.pidNamespace() };
}

let own: ProcessIdentity | undefined;

/** This process, read once. Where nothing can be read the others will judge it `unknown`. */
export function ownIdentity(): ProcessIdentity {
  own ??= identityOf(process.pid) ?? { pid: process.pid, startTime: '', bootId: '', pidNamespace: '' };
  return own;
}

/**
 * Only these mean dead: no such process, another start time, a zombie, another boot. (A team directory is on a local
 * file system, so another boot is an earlier one of this host.) A stopped process is alive.
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

/** A zombie is dead, unless only its first thread has ended: that shows as a zombie too, and the rest runs on. */
export const isLiving = ({ state, threads }: ProcessStat): boolean =>
  state !== 'X' && state !== 'x' && (state !== 'Z' || threads > 1);

/** The state letter, for messages; undefined when the process is gone or hidden. */
export function stateOf(pid: number, table: ProcessTable = processes): string | undefined {
  const seen = table.stat(pid);
  return typeof seen === 'string' ? undefined : seen.state;
}
