/**
 * Runs a program as the person who typed the command would: with the whole environment, in the same session, so that
 * what asks for a password reaches the terminal. Only for what a person asked for by name; no member's process uses it.
 * PATH is without the project: what a clone brings, or a member wrote, is not the person's program.
 */
import { spawn } from 'node:child_process';
import { findProgram, pathOutside } from '../../os/program-path.ts';

interface UserProgramEnd {
  /** -1 if it could not be started, or a signal ended it. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const KEPT = 64 * 1024;

/** @param signal ends it */
export function runAsUser(
  [program = '', ...args]: readonly string[],
  how: { readonly cwd: string; readonly environment: Readonly<Record<string, string | undefined>> },
  signal: AbortSignal,
): Promise<UserProgramEnd> {
  const path = pathOutside(how.environment['PATH'] ?? '', how.cwd);
  const file = findProgram(program, path);
  if (file === undefined) return Promise.resolve({ code: -1, out: '', err: `${program} is not on PATH` });
  return new Promise((resolve) => {
    const said = { out: '', err: '' };
    const child = spawn(file, args, {
      cwd: how.cwd,
      env: { ...how.environment, PATH: path },
      stdio: ['inherit', 'pipe', 'pipe'],
      signal,
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out = (said.out + text).slice(-KEPT)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err = (said.err + text).slice(-KEPT)));
    child.once('error', (error) => resolve({ code: -1, ...said, err: said.err || error.message }));
    child.once('close', (code) => resolve({ code: code ?? -1, ...said }));
  });
}
