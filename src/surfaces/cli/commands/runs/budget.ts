/** `teams budget`: what a team, or all teams in a day, may use and used, and who waits; `--set` and `--add` change limits. */
import * as z from 'zod';
import {
  budgetLines,
  budgetWaits,
  openDayLedger,
  openHandle,
  setDayLimits,
  setLimits,
  settleLost,
  UsageError,
  type LimitChange,
} from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { limitChange, requirePlaces } from '../../input/limit-change.ts';
import { flag, noMore, readOptions, texts } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ set: texts, add: texts, day: flag, settle: texts });

export const act: Act = async (context, given) => {
  const { set, add, day, settle } = readOptions(schema, given);
  const place = (limit: string): string => (day && !/^[a-z]+\./.test(limit) ? `day.${limit}` : limit);
  const changes: LimitChange[] = [
    ...set.map((limit) => limitChange('set', place(limit))),
    ...add.map((more) => limitChange('add', place(dollars(more)))),
  ];
  if (!day && settle.length > 0)
    throw new UsageError('USAGE', '--settle is for the day of a store: say it with --day.');
  if (changes.length > 0 || settle.length > 0) refuseMembers(context, 'change a budget');
  return day
    ? showDay(context, { changes, words: given.words, settle })
    : showTeam(context, { changes, words: given.words });
};

interface Asked {
  readonly changes: readonly LimitChange[];
  readonly words: readonly string[];
}

async function showTeam(context: CliContext, { changes, words: given }: Asked): Promise<number> {
  const { team, words } = chooseTeam(context, given);
  noMore(words);
  const { open, merged } = settings(context);
  await using handle = openHandle(team.name, open);
  const { members, tasks } = handle.store.board.fold();
  requirePlaces(changes, { members: [...members.keys()], hasTask: (id) => tasks.has(id) });
  if (changes.length > 0) await setLimits(handle.store, changes, merged.config.prices);
  const { ledger, day, sharedDay } = handle.store;
  const accounts = [ledger.look(), sharedDay?.look(), day.look()].flatMap((account) => account ?? []);
  show(context, accounts, { subject: { team: team.name }, nothing: `Nothing is limited in team ${team.name}.` });
  return 0;
}

async function showDay(
  context: CliContext,
  { changes, words, settle }: Asked & { readonly settle: readonly string[] },
): Promise<number> {
  const [team] = words;
  if (team !== undefined)
    throw new UsageError('USAGE', `The day's limits are of all your teams: leave out ${JSON.stringify(team)}.`);
  const ledger = openDayLedger(settings(context).open.root);
  try {
    if (changes.some(({ limits }) => limits.day === undefined))
      throw new UsageError('USAGE', 'With --day only limits of the day are set: cost=20, tokens=5000000.');
    await setDayLimits(ledger, changes);
    for (const member of settle) await settleLost(ledger, member);
    const account = ledger.look();
    show(context, account === undefined ? [] : [account], {
      subject: { day: ledger.day },
      nothing: 'Nothing is limited for the day.',
    });
    return 0;
  } finally {
    ledger.close();
  }
}

/** `--add 5` is five dollars more. */
const dollars = (given: string): string => (/^\$?[0-9.]+$/.test(given) ? `cost=${given}` : given);

function show(
  context: CliContext,
  accounts: readonly Parameters<typeof budgetLines>[0][],
  { subject, nothing }: { readonly subject: object; readonly nothing: string },
): void {
  const lines = accounts.flatMap(budgetLines);
  const waiting = accounts.flatMap(budgetWaits);
  const said = [...lines.map(({ text }) => text), ...waiting.map(({ member, why }) => `${member} waits: ${why}.`)];
  context.result(
    { ...subject, limits: lines.map(({ text: _, ...line }) => line), waiting },
    lines.length === 0 ? nothing : said.join('\n'),
  );
}
