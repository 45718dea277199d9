/** Runs `bin/teams.js` as a person does, as its own process. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'teams.js');

/** @throws the error of `execFile`, with `code` and `stdout`, when it exits with anything but 0 */
export function runTeams(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<{ stdout: string; stderr: string }> {
  const { PATH = '/usr/bin:/bin' } = process.env;
  return promisify(execFile)(process.execPath, [BIN, ...args], {
    cwd,
    env: { PATH, HOME: cwd, XDG_STATE_HOME: join(cwd, 'state'), NO_COLOR: '1', ...env },
  });
}
