/**
 * Reports the failure of a verb: one sentence on stderr, or JSON on stdout with `--json`. The error's class decides the
 * exit code.
 */
import { isTeamError, safeText } from '../../app.ts';
import { SIGNAL_CODES } from './interrupts.ts';
import type { CliIo } from './io.ts';
import { LeftQuestion } from './left-question.ts';
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
  if (error instanceof LeftQuestion) {
    tell({ class: 'Error', code: 'LEFT', message: error.message, retryable: true }, style, io);
    return SIGNAL_CODES.SIGINT;
  }
  const lost = lostDirectory(error);
  if (lost !== undefined) {
    tell({ class: 'StoreError', code: 'IO', message: lost, retryable: false }, style, io);
    return 4;
  }
  const message = error instanceof Error ? error.message : String(error);
  tell({ class: 'Error', code: 'BUG', message: `This is a bug in teams: ${message}`, retryable: false }, style, io);
  if (error instanceof Error && error.stack !== undefined) io.stderr.write(`${safeText(error.stack)}\n`);
  return 1;
}

/** What is wrong with the working directory, if that is what failed when somebody asked for it. */
function lostDirectory(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined;
  if (error.syscall === 'uv_cwd')
    return 'The working directory was removed; change to another directory, for example by `cd`.';
  return error.syscall === 'chdir'
    ? 'The path of the working directory is not UTF-8: rename the directory, or work in another one.'
    : undefined;
}

export function tell(failure: CliFailure, { json }: Pick<FailureStyle, 'json'>, { stdout, stderr }: CliIo): void {
  if (json) stdout.write(jsonLine({ error: { ...failure, message: safeText(failure.message) } }));
  else stderr.write(`teams: ${safeText(failure.message)}\n`);
}
