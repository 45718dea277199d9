/**
 * Reports the failure of a verb: one sentence on stderr, or JSON on stdout with `--json`. The error's class decides the
 * exit code.
 */
import { isTeamError, safeText } from '../../app.ts';
import type { CliIo } from './io.ts';
import { jsonLine } from './output/json-line.ts';

interface CliFailure {
  readonly class: string;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

interface FailureStyle {
  readonly json: boolean;
  readonly verbose: boolean;
}

/** @returns the exit code */
export function fail(error: unknown, style: FailureStyle, io: CliIo): number {
  if (isTeamError(error)) {
    const { class: kind, code, message, retryable } = error;
    tell({ class: kind, code, message, retryable }, style, io);
    if (style.verbose && error.stack !== undefined) io.stderr.write(`${safeText(error.stack)}\n`);
    return error.exitCode;
  }
  if (isDirectoryGone(error)) {
    const message = 'The working directory was removed; change to another directory, for example by `cd`.';
    tell({ class: 'StoreError', code: 'IO', message, retryable: false }, style, io);
    return 4;
  }
  const message = error instanceof Error ? error.message : String(error);
  tell({ class: 'Error', code: 'BUG', message: `This is a bug in teams: ${message}`, retryable: false }, style, io);
  if (error instanceof Error && error.stack !== undefined) io.stderr.write(`${safeText(error.stack)}\n`);
  return 1;
}

/** Node reports a working directory that was removed when somebody asks for it. */
const isDirectoryGone = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';

export function tell(failure: CliFailure, { json }: Pick<FailureStyle, 'json'>, { stdout, stderr }: CliIo): void {
  if (json) stdout.write(jsonLine({ error: { ...failure, message: safeText(failure.message) } }));
  else stderr.write(`teams: ${safeText(failure.message)}\n`);
}
