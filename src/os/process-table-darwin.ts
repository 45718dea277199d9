/**
 * The process table of systems without /proc: macOS and the BSDs, by `ps` and `sysctl`. Start times have a resolution
 * of one second. Limits cannot be read, so marks use the environment only.
 */
import { spawnSync } from 'node:child_process';
import type { ProcessReading, ProcessStat, ProcessTable } from './process-reading.ts';

/** Runs a program to its end; `status` is null if it could not be started. */
export type Run = (
  file: string,
  args: readonly string[],
) => { readonly status: number | null; readonly stdout: string };

const COLUMNS = 'pid=,ppid=,pgid=,uid=,stat=,lstart=';

interface Row extends ProcessStat {
  readonly user: number;
}

export function psTable(start: Run = runInEnglish): ProcessTable {
  let refused = 0;
  const run: Run = (file, args) => {
    const ran = start(file, args);
    if (ran.status === null) refused += 1;
    return ran;
  };
  let boot: string | undefined;
  // One `ps` answers for all listed pids, once each: the read before a signal is always a new one.
  const listed = new Map<number, Row>();
  const row = (pid: number): ProcessReading<Row> => {
    const known = listed.get(pid);
    listed.delete(pid);
    return known ?? lookAt(run, pid);
  };
  const list = (): number[] => {
    listed.clear();
    for (const seen of parseRows(run('/bin/ps', ['-axo', COLUMNS]).stdout)) listed.set(seen.pid, seen);
    return [...listed.keys()];
  };
  return {
    self: process.pid,
    list,
    lastPid: () => undefined,
    stat: row,
    user: (pid) => pick(lookAt(run, pid), ({ user }) => user),
    limits: () => 'unreadable',
    environ: (pid) => environOf(run, pid),
    bootId: () => (boot ??= bootIdOf(run)),
    pidNamespace: () => 'host',
    refused: () => refused,
  };
}

const pick = <T extends object, U extends object | number>(
  seen: ProcessReading<T>,
  of: (value: T) => U,
): ProcessReading<U> => (typeof seen === 'string' ? seen : of(seen));

function lookAt(run: Run, pid: number): ProcessReading<Row> {
  const { status, stdout } = run('/bin/ps', ['-p', String(pid), '-o', COLUMNS]);
  if (status === 1 && stdout.trim() === '') return 'gone';
  return parseRows(stdout)[0] ?? 'unreadable';
}

/** `ps -E` prints the environment after the command, separated by blanks; our own entries contain no blanks. */
function environOf(run: Run, pid: number): ProcessReading<readonly string[]> {
  const { status, stdout } = run('/bin/ps', ['-E', '-ww', '-p', String(pid), '-o', 'command=']);
  return status === 0 ? stdout.trim().split(/\s+/) : 'unreadable';
}

/**
 * The session's uuid is preferred: `kern.boottime` changes when the clock is set, and then every owner would look dead.
 */
function bootIdOf(run: Run): string {
  const uuid = run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']).stdout.trim();
  return uuid !== '' ? uuid : (/sec = (\d+)/.exec(run('/usr/sbin/sysctl', ['-n', 'kern.boottime']).stdout)?.[1] ?? '');
}

function parseRows(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, user, state, started] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S)\S*\s+(.+?)\s*$/.exec(line) ?? [];
    const seconds = Date.parse(`${started} UTC`) / 1000;
    if (state === undefined || Number.isNaN(seconds)) return [];
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group), user: Number(user) };
    return [{ ...numbers, state, threads: 1, startTime: String(seconds) }];
  });
}

const runInEnglish: Run = (file, args) => {
  const { status, stdout } = spawnSync(file, args, {
    env: { LC_ALL: 'C', TZ: 'UTC' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { status, stdout: typeof stdout === 'string' ? stdout : '' };
};
