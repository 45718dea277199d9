/**
 * The command line of the verbs that agents and scripts call all the time. It is a bundle of its own, which the build
 * compiles so that a run evaluates only what it uses (scripts/build/late-modules.mjs).
 */
import { processIo, type CliIo } from './io.ts';
import { plainCall } from './plain-arguments.ts';
import { perform } from './run-verb.ts';
import type { Verb } from './verb.ts';
import { talk } from './verbs/mail-verbs.ts';
import { tasks } from './verbs/task-verbs.ts';
import { teams } from './verbs/team-verbs.ts';

/** What the bundle contains of the verbs besides those for tasks. */
const PARTS: Readonly<Record<string, Verb['load']>> = {
  send: () => import('./commands/mail/send.ts'),
  inbox: () => import('./commands/mail/inbox.ts'),
  take: () => import('./commands/mail/take.ts'),
  list: () => import('./commands/teams/list.ts'),
  status: () => import('./commands/teams/status.ts'),
  why: () => import('./commands/views/why.ts'),
  log: () => import('./commands/views/log.ts'),
};

/** @returns the verbs of this bundle */
export const frequentVerbs = (): readonly Verb[] => [
  ...[...talk, ...teams].flatMap((verb) => {
    const load = PARTS[verb.name];
    return load === undefined ? [] : [{ ...verb, load }];
  }),
  ...tasks,
];

/**
 * @param argv without the program's own name
 * @returns the exit code; undefined if this is no call in the plainest form, of which nothing has been done
 */
export async function main(argv: readonly string[], io: CliIo = processIo()): Promise<number | undefined> {
  if (process.platform === 'win32') return undefined;
  const call = plainCall(argv, frequentVerbs());
  if (call === undefined) return undefined;
  const code = await perform(call.verb, call.given, io);
  return io.own === undefined ? code : io.own.end(code);
}
