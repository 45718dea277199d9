/** `teams budget`: what a team may use, what it used, and who waits; `--set` and `--add` change limits. */
import * as z from 'zod';
import { budgetLines, budgetWaits, openHandle, setLimits, type LimitChange, type TeamHandle } from '../../../../app.ts';
import { limitChange } from '../../input/limit-change.ts';
import { noMore, readOptions, texts } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ set: texts, add: texts });

export const act: Act = async (context, given) => {
  const { set, add } = readOptions(schema, given);
  const changes: LimitChange[] = [
    ...set.map((limit) => limitChange('set', limit)),
    ...add.map((more) => limitChange('add', dollars(more))),
  ];
  if (changes.length > 0) refuseMembers(context, 'change a budget');
  const { team, words } = chooseTeam(context, given.words);
  noMore(words);
  const { open, merged } = settings(context);
  await using handle = openHandle(team.name, open);
  if (changes.length > 0) await setLimits(handle.store, changes, merged.config.prices);
  const { lines, waits } = accountOf(handle);
  const said = lines.map(({ text }) => text);
  const waiting = waits.map(({ member, why }) => `${member} waits: ${why}.`);
  const all = lines.length === 0 ? [`Nothing is limited in team ${team.name}.`] : [...said, ...waiting];
  context.result(
    { team: team.name, limits: lines.map(({ text: _, ...line }) => line), waiting: waits },
    all.join('\n'),
  );
  return 0;
};

/** `--add 5` is five dollars for the team. */
const dollars = (given: string): string => (/^\$?[0-9.]+$/.test(given) ? `cost=${given}` : given);

function accountOf({ store }: TeamHandle): {
  readonly lines: ReturnType<typeof budgetLines>;
  readonly waits: ReturnType<typeof budgetWaits>;
} {
  const account = store.ledger.look();
  return account === undefined
    ? { lines: [], waits: [] }
    : { lines: budgetLines(account), waits: budgetWaits(account) };
}
