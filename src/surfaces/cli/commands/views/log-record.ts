/**
 * `teams log --session`: appends one record to a session's message bus, as a pipeline's roles do (docs/specification.md
 * R10.16).
 */
import * as z from 'zod';
import { logOnBus, openHandle, sessionTeam } from '../../../../app.ts';
import { noMore, readOptions, text } from '../../input/options.ts';
import { rootOf } from '../../input/root.ts';
import { settings } from '../../input/settings.ts';
import type { Act } from '../../verb.ts';

const needed = z.string('It is needed with --session.').min(1, 'It is empty.');
const schema = z.object({
  session: needed,
  from: needed,
  to: z.string().default('coordinator'),
  type: needed,
  summary: needed,
  ref: text,
});

export const act: Act = async (context, given) => {
  const said = readOptions(schema, given);
  noMore(given.words);
  await using handle = openHandle(sessionTeam(rootOf(context), said.session), settings(context).open);
  const record = await logOnBus(handle, said);
  context.result({ record }, `logged  #${record.seq}  ${record.summary}`);
  return 0;
};
