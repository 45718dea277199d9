/** Turns commander's usage errors into this project's messages. */
import type { CommanderError } from 'commander';
import { tell } from './cli-failure.ts';
import type { CliIo } from './io.ts';

/**
 * Prints the error.
 * @returns the exit code of a usage error
 */
export function usageErrorOf(error: CommanderError, argv: readonly string[], io: CliIo): number {
  const end = argv.indexOf('--');
  const json = argv.slice(0, end === -1 ? undefined : end).includes('--json');
  tell({ class: 'UsageError', code: 'USAGE', message: sentence(error, argv), retryable: false }, { json }, io);
  return 2;
}

function sentence({ code, message }: CommanderError, argv: readonly string[]): string {
  const [verb] = argv.filter((word) => !word.startsWith('-'));
  if (code === 'commander.help')
    return `\`teams ${verb ?? ''}\` needs a verb after it; \`teams ${verb ?? ''} --help\` lists them.`;
  const [fault = '', hint] = message.replace(/^error: /, '').split('\n');
  const meant = hint === undefined ? undefined : /\(Did you mean (.*)\?\)/.exec(hint)?.[1];
  const fullMessage = fault.charAt(0).toUpperCase() + fault.slice(1).replace(/\.$/, '');
  return meant === undefined ? `${fullMessage}; see \`teams --help\`.` : `${fullMessage}; did you mean ${meant}?`;
}
