/** `teams doctor`: checks what works on this machine, and shows how to fix what does not. */
import * as z from 'zod';
import { diagnose, parseName, trustProject, trustTeam, type Check } from '../../../../app.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { rootOf } from '../../input/root.ts';
import { table } from '../../output/table.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ breakLock: flag, trust: z.union([z.boolean(), z.string()]).default(false) });

export const act: Act = async (context, given) => {
  const { breakLock, trust } = readOptions(schema, given);
  noMore(given.words);
  const root = rootOf(context);
  if (breakLock || trust !== false) refuseMembers(context, 'trust files or remove locks');
  if (trust === true) trustProject(root);
  else if (trust !== false) await trustTeam(root, parseName('team', trust));
  const checks = await diagnose(root, context.io.environment, { breakLocks: breakLock });
  context.result({ checks }, describe(checks));
  return checks.some(isFault) ? 1 : 0;
};

const isFault = ({ ok, absent }: Check): boolean => !ok && absent !== true;

/** `-` marks what is absent and not required, so that a person sees at once what is usable. */
const stateOf = (check: Check): string => (check.ok ? 'ok' : isFault(check) ? 'NOT OK' : '-');

function describe(checks: readonly Check[]): string {
  const lines = table(checks.map((check) => [stateOf(check), check.name, check.found]));
  const cures = checks.filter(isFault).map(({ name, cure }) => `  ${name}: ${cure}`);
  return cures.length === 0 ? lines : [lines, '', 'Cures', ...cures].join('\n');
}
