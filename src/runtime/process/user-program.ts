/**
 * Runs a program as the person who typed the command would: with the whole environment, in the same session, so that
 * what asks for a password reaches the terminal. Only for what a person asked for by name; no member's process uses it.
 */
import { spawn } from 'node:child_process';

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
  return new Promise((resolve) => {
    const said = { out: '', err: '' };
    const child = spawn(program, args, {
      cwd: how.cwd,
      env: { ...how.environment },
      stdio: ['inherit', 'pipe', 'pipe'],
      signal,
    });
    child.stdout.on('data', (bytes: Buffer) => (said.out = (said.out + bytes.toString('utf8')).slice(-KEPT)));
    child.stderr.on('data', (bytes: Buffer) => (said.err = (said.err + bytes.toString('utf8')).slice(-KEPT)));
    child.once('error', (error) => resolve({ code: -1, ...said, err: said.err || error.message }));
    child.once('close', (code) => resolve({ code: code ?? -1, ...said }));
  });
}
