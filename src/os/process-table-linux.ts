/** The process table of Linux, from /proc (proc_pid_stat(5), proc_pid_limits(5)). */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { codeOf } from '../model/text/errors.ts';
import type { ProcessReading, ProcessStat, ResourceLimits, ProcessTable } from './process-reading.ts';

export function linuxTable(): ProcessTable {
  // A /proc of another pid namespace has other numbers: using it would signal foreign processes.
  const isOurs = readOr('', () => readlinkSync('/proc/self')) === String(process.pid);
  const pidNamespace = isOurs ? readOr('', () => readlinkSync('/proc/self/ns/pid')) : '';
  let refused = 0;
  const counted = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      if (SHORTAGES.has(codeOf(error) ?? '')) refused += 1;
      throw error;
    }
  };
  const bootId = readOr('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
  const look = <T extends object | number>(
    pid: number,
    file: string,
    parse: (text: string) => T | undefined,
  ): ProcessReading<T> =>
    isOurs ? lookAt(pid, () => parse(counted(() => textOf(`/proc/${pid}/${file}`)))) : 'unreadable';
  return {
    self: process.pid,
    list: () => (isOurs ? readOr([], () => counted(pids)) : []),
    lastPid: () => (isOurs ? readOr(undefined, lastPid) : undefined),
    stat: (pid) => look(pid, 'stat', (text) => parseStat(pid, text)),
    user: (pid) => look(pid, 'status', parseUser),
    limits: (pid) => look(pid, 'limits', parseLimits),
    environ: (pid) => look(pid, 'environ', (text) => text.split('\0')),
    bootId: () => bootId,
    pidNamespace: () => pidNamespace,
    refused: () => refused,
  };
}

let room = Buffer.allocUnsafe(8_192);

/**
 * The text of a file that tells no size. `readFileSync` takes 64 KiB of new memory for each, and two to three times as
 * long: a sweep reads every process.
 */
function textOf(path: string): string {
  const fd = openSync(path, 'r');
  try {
    let length = 0;
    for (;;) {
      const read = readSync(fd, room, length, room.length - length, null);
      if (read === 0) return room.toString('latin1', 0, length);
      length += read;
      if (length === room.length) room = Buffer.concat([room], 2 * room.length);
    }
  } finally {
    closeSync(fd);
  }
}

const pids = (): number[] => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));

/** The fifth field of proc_loadavg(5), in this process's pid namespace. */
const lastPid = (): number | undefined => numberIn(readFileSync('/proc/loadavg', 'latin1').trim().split(' ')[4]);

/** What says nothing about the file, only about this process or the system. */
const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

function lookAt<T extends object | number>(pid: number, read: () => T | undefined): ProcessReading<T> {
  try {
    return read() ?? 'unreadable';
  } catch (error) {
    const code = codeOf(error);
    return (code === 'ENOENT' || code === 'ESRCH') && !answers(pid) ? 'gone' : 'unreadable';
  }
}

/** Whether the kernel knows the pid: a /proc mounted with hidepid shows no file of an existing process. */
function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/**
 * The second field is the program's name in parentheses and may contain any character, so fields count from the last
 * `)`.
 */
function parseStat(pid: number, text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, threads, startTime] = [fields[0], fields[1], fields[2], fields[17], fields[19]];
  if (!state || !parent || !group || !threads || !startTime) return undefined;
  return { pid, state, parent: Number(parent), group: Number(group), threads: Number(threads), startTime };
}

const parseUser = (text: string): number | undefined => numberIn(/^Uid:\s+(\d+)/m.exec(text)?.[1]);

function parseLimits(text: string): ResourceLimits | undefined {
  const locks = numberIn(/^Max file locks +\S+ +(\S+)/m.exec(text)?.[1]);
  const msgqueue = numberIn(/^Max msgqueue size +\S+ +(\S+)/m.exec(text)?.[1]);
  return locks === undefined || msgqueue === undefined ? undefined : { locks, msgqueue };
}

function numberIn(text: string | undefined): number | undefined {
  if (text === 'unlimited') return Infinity;
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    // No /proc, or an unreadable one: every answer of the table is then `unreadable`.
    return otherwise;
  }
}

/**
 * Whether this process may read its terminal and change its mode. A process in the background, such as one that
 * `timeout` starts in a script, is stopped when it does. True where that cannot be told.
 */
export function isInForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // After the name: state, parent, group, session, terminal, and the group that has the terminal; -1 without one.
    const [, , group, , , owner = '-1'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return owner === '-1' || owner === group;
  } catch {
    return true;
  }
}

/** Whether this is the first thread of the process, which no worker thread of Node is; false where that cannot be told. */
export function isFirstThread(): boolean {
  const [pid, , thread] = readOr('', () => readlinkSync('/proc/thread-self')).split('/');
  return pid !== undefined && pid === thread;
}
