/** Turns commander's usage errors into this project's messages. */
import type { CommanderError } from 'commander';
import { didYouMeanOr } from '../../app.ts';
import { tell } from './cli-failure.ts';
import type { CliIo } from './io.ts';
import { verbs } from './verbs/all-verbs.ts';

/** Verbs of other programs, by habit, and what to use. */
const HABITS: ReadonlyMap<string, string> = new Map([
  ['ps', '`teams list` shows the teams, `teams status` the members of one'],
  ['ls', '`teams list` shows the teams'],
  ['show', '`teams status` shows a team, `teams task get` a task, `teams why` what it waits for'],
  ['describe', '`teams why` says what a team, member or task waits for'],
  ['inspect', '`teams why` says what a team, member or task waits for'],
  ['stop', '`teams cancel` stops a run, `teams delete` ends and archives a team'],
  ['kill', '`teams cancel --force` stops a run at once'],
  ['down', '`teams delete` ends and archives a team'],
  ['rm', '`teams delete` ends and archives a team'],
  ['remove', '`teams delete` ends and archives a team'],
  ['start', '`teams run` runs a plan, `teams lead` leads a team that exists'],
  ['exec', '`teams run` runs a plan'],
  ['new', '`teams create` makes a team'],
  ['add', '`teams spawn` adds a member, `teams task create` a task'],
  ['tail', '`teams log --follow` follows a team, `teams logs` shows what a member printed'],
  ['attach', '`teams watch` shows a team while it works'],
  ['top', '`teams watch` shows a team while it works'],
  ['retry', '`teams task retry` retries a task, `teams resume --retry-failed` all that failed'],
  ['skip', '`teams task skip` skips a task'],
  ['message', '`teams send` sends a message'],
  ['restart', '`teams resume` goes on with a run, `teams run --fresh` starts it anew'],
  ['info', '`teams status` shows a team, `teams doctor` this machine'],
]);

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
  const words = argv.filter((word) => !word.startsWith('-'));
  const verb = verbIn(words);
  if (code === 'commander.help') return noVerbAfter(words, verb);
  const meantByHabit = code === 'commander.unknownCommand' ? HABITS.get(words[0] ?? '') : undefined;
  if (meantByHabit !== undefined) return `There is no verb ${JSON.stringify(words[0])}; ${meantByHabit}.`;
  const [fault = '', hint] = message.replace(/^error: /, '').split('\n');
  const meant = hint === undefined ? undefined : /\(Did you mean (.*)\?\)/.exec(hint)?.[1];
  const fullMessage = fault.charAt(0).toUpperCase() + fault.slice(1).replace(/\.$/, '');
  const help = verb === undefined ? 'teams --help' : `teams ${verb} --help`;
  return meant === undefined ? `${fullMessage}; see \`${help}\`.` : `${fullMessage}; did you mean ${meant}?`;
}

/** The first verb, or the first word of some verbs: the value of an option may stand before it. */
function verbIn(words: readonly string[]): string | undefined {
  const names = verbs.map(({ name }) => name);
  for (const [at, word] of words.entries()) {
    const pair = `${word} ${words[at + 1] ?? ''}`;
    if (names.includes(pair)) return pair;
    if (names.some((name) => name.split(' ', 1)[0] === word)) return word;
  }
  return undefined;
}

/** Of a word such as `task` alone, and of `help` with a word that is no verb. */
function noVerbAfter(words: readonly string[], verb: string | undefined): string {
  if (verb !== undefined) return `\`teams ${verb}\` needs a verb after it; \`teams ${verb} --help\` lists them.`;
  const unknown = words.at(-1) ?? '';
  const names = verbs.map(({ name }) => name);
  return `There is no verb ${JSON.stringify(unknown)}${didYouMeanOr('`teams --help` lists them', unknown, names)}`;
}
