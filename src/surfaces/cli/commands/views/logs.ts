/** `teams logs`: what agents print, line by line: of all members, of one, or of one task. */
import * as z from 'zod';
import {
  followOutput,
  followTaskLines,
  followTeamLines,
  knownMember,
  outputOf,
  printedLine,
  type Name,
  type OutputLine,
  type TeamReader,
} from '../../../../app.ts';
import { deliverMail } from '../../output/deliver-mail.ts';
import { jsonLine } from '../../output/json-line.ts';
import { flag, noMore, readOptions, text } from '../../input/options.ts';
import { taskNamed, withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ follow: flag, task: text });

/** A line longer than this many characters is shown in pieces of this size. */
const PIECE = 64 * 1024;

type Shown = Pick<OutputLine, 'line'> & { readonly member?: Name; readonly task?: string };

export const act: Act = (context, given) => {
  const { follow, task } = readOptions(schema, given);
  return withTeamReader(context, given.words, 1, async (store, [member, ...rest]) => {
    noMore(rest);
    const until = follow ? context.io.gone : AbortSignal.abort();
    const isAll = task === undefined && member === undefined;
    for await (const lines of linesOf(store, { member, task, follow, until })) {
      const shown = lines.map((one) =>
        context.flags.json
          ? jsonLine(one)
          : `${isAll && one.member !== undefined ? `[${one.member}] ` : ''}${printedLine(one.line)}\n`,
      );
      if (!(await deliverMail(context, shown.join('')))) break;
    }
    return 0;
  });
};

interface Wanted {
  readonly member: string | undefined;
  readonly task: string | undefined;
  readonly follow: boolean;
  /** Aborted: only what is there now. */
  readonly until: AbortSignal;
}

async function* linesOf(store: TeamReader, { member, task, follow, until }: Wanted): AsyncGenerator<Shown[]> {
  if (task !== undefined) {
    const { id } = taskNamed(store, task);
    for await (const { lines } of followTaskLines(store, id, until)) yield lines.map((line) => ({ task: id, line }));
    return;
  }
  if (member === undefined) {
    yield* followTeamLines(store, until);
    return;
  }
  const name = knownMember(store, member);
  const output = follow ? followOutput(store, name, until) : outputOf(store, name);
  for await (const lines of wholeLines(output)) yield lines.map((line) => ({ member: name, line }));
}

async function* wholeLines(output: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of output) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > PIECE) lines.push(rest.slice(0, PIECE));
    rest = rest.length > PIECE ? rest.slice(PIECE) : rest;
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') yield [rest];
}
