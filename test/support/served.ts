/**
 * `served`: a process that goes on beside a test, and ends with it. Use it for verbs that serve: `host`, `worker`, `run`.
 *
 *     const { child, said } = served(user.process(['host', '--name', 'one']));
 *     await expect.poll(said).toContain('Host one starts');
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

export interface Served {
  readonly child: ChildProcess;
  /** What it has printed so far, to both streams. */
  readonly said: () => string;
}

/** How long it may take to its end at SIGTERM before it is killed. */
const LATE_MS = 10_000;

export function served(child: ChildProcess): Served {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
  onTestFinished(async () => {
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), LATE_MS);
    await ended(child);
    clearTimeout(late);
  });
  return { child, said: () => said };
}

/** @returns its exit code; null if a signal ended it */
export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}
