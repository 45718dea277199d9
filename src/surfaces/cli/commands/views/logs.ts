/** `teams logs`: the output of a member's agent, line by line. */
import * as z from 'zod';
import { followOutput, knownMember, outputOf, safeText, UsageError } from '../../../../app.ts';
import { deliverMail } from '../../output/deliver-mail.ts';
import { jsonLine } from '../../output/json-line.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ follow: flag });

/** A line longer than this many characters is shown in pieces of this size. */
const PIECE = 64 * 1024;

export const act: Act = (context, given) => {
  const { follow } = readOptions(schema, given);
  return withTeamReader(context, given.words, 1, async (store, [member, ...rest]) => {
    noMore(rest);
    if (member === undefined) throw new UsageError('USAGE', 'Whose output? `teams logs [TEAM] MEMBER`.');
    const name = knownMember(store, member);
    const output = follow ? followOutput(store, name, context.io.gone) : outputOf(store, name);
    for await (const lines of wholeLines(output)) {
      const shown = lines.map((line) =>
        context.flags.json ? jsonLine({ member: name, line }) : `${safeText(line)}\n`,
      );
      if (!(await deliverMail(context, shown.join('')))) break;
    }
    return 0;
  });
};

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
