/** `teams migrate`: moves a team between the files of a folder and a store. */
import * as z from 'zod';
import {
  configuredStore,
  ENV,
  type EngineAddress,
  moveToFiles,
  moveToStore,
  parseEngineAddress,
  parseName,
  realClock,
  shownAddress,
  UsageError,
} from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { noMore, readOptions, text } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { projectOf, requireGivenRoot, rootOf } from '../../input/root.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({
  to: z.string({ error: 'Say where: --to URL, --to store or --to files.' }),
  from: text,
});

export const act: Act = async (context, given) => {
  const { to, from } = readOptions(schema, given);
  refuseMembers(context, 'move its team');
  const [word, ...more] = given.words;
  noMore(more);
  if (to !== 'files' && from !== undefined) throw new UsageError('USAGE', '--from names the store of --to files.');
  const root = rootOf(context);
  requireGivenRoot(context, root);
  const address = addressOf(context, to === 'files' ? from : to);
  const target = { root, name: parseName('team', word ?? ''), address, clock: realClock };
  const { wasThere, records, messages, left } = await (to === 'files' ? moveToFiles(target) : moveToStore(target));
  const store = shownAddress(address);
  const place = to === 'files' ? root : store;
  if (left > 0)
    context.warn(
      `${String(left)} ${left === 1 ? 'line of its log is no record, or repeats one, and stays' : 'lines of its log are no records, or repeat one, and stay'} in the archive.`,
    );
  context.result(
    { team: target.name, to: to === 'files' ? 'files' : 'store', store, root, wasThere, records, messages },
    wasThere
      ? `Team ${target.name} is in ${place} already.`
      : `Team ${target.name} is in ${place} now: ${amount(records, 'record')}, ${amount(messages, 'unread message')}.`,
  );
  return 0;
};

const amount = (count: number, what: string): string => `${String(count)} ${what}${count === 1 ? '' : 's'}`;

/** @param said a URL; `store` or nothing is the store of the environment or of the configuration */
function addressOf(context: CliContext, said: string | undefined): EngineAddress {
  if (said !== undefined && said !== 'store') return parseEngineAddress(said, 'argument');
  const { environment } = context.io;
  const variable = environment[ENV.store] ?? '';
  if (variable !== '') return parseEngineAddress(variable, 'environment');
  const configured = configuredStore(projectOf(context), environment);
  if (configured !== undefined) return parseEngineAddress(configured, 'file');
  throw new UsageError(
    'USAGE',
    'Name the store: a URL such as postgres://teams@db.example.org/agents, or TEAMS_STORE with one.',
  );
}
