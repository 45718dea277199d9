/** `teams host`: starts the members that leads of a store place on this machine, until it is interrupted. */
import * as z from 'zod';
import {
  agentRuleVariables,
  encodeCutOffAfter,
  isHostWord,
  isReplica,
  machineName,
  parseName,
  realClock,
  serveHost,
  UsageError,
} from '../../../../app.ts';
import { Interrupts } from '../../interrupts.ts';
import {
  cutOffAfter,
  hostLabels,
  noMore,
  publicKeys,
  readOptions,
  text,
  trustKeys,
  wholeNumber,
} from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { rootOf } from '../../input/root.ts';
import { settings } from '../../input/settings.ts';
import type { CliContext } from '../../context.ts';
import type { Act, VerbInput } from '../../verb.ts';

const MOST_SLOTS = 512;
const DEFAULT_SLOTS = 8;

const schema = z.object({
  team: text,
  slots: wholeNumber,
  labels: hostLabels,
  name: text,
  cutOffAfter,
  trust: publicKeys,
});

/** @throws UsageError */
function optionsOf(context: CliContext, given: VerbInput) {
  const { slots = DEFAULT_SLOTS, name = machineName().slice(0, 63), team, ...rest } = readOptions(schema, given);
  noMore(given.words);
  refuseMembers(context, 'be a host');
  if (slots < 1 || slots > MOST_SLOTS)
    throw new UsageError(
      'USAGE',
      `--slots: Expected 1 to ${String(MOST_SLOTS)} members at once, got ${String(slots)}.`,
    );
  if (!isHostWord(name))
    throw new UsageError('USAGE', `--name: Expected letters, digits, dots and dashes, got ${JSON.stringify(name)}.`);
  return { slots, name, team: team === undefined ? undefined : parseName('team', team), ...rest };
}

export const check = (context: CliContext, given: VerbInput): void => void optionsOf(context, given);

export const act: Act = async (context, given) => {
  const { slots, name, team, labels, trust, cutOffAfter: endAfter } = optionsOf(context, given);
  trustKeys(context, trust);
  const root = rootOf(context);
  if (context.store === undefined && !isReplica(root))
    throw new UsageError('USAGE', '`teams host` works for teams in a store: name it with --store URL or TEAMS_STORE.');
  using interrupts = new Interrupts();
  await serveHost({
    root,
    name,
    slots,
    labels,
    team,
    cwd: context.io.cwd,
    variables: { ...agentRuleVariables(settings(context).session), ...encodeCutOffAfter(endAfter) },
    trust: context.trust,
    clock: realClock,
    signal: AbortSignal.any([interrupts.stop, context.io.gone]),
    onServing: () => {
      context.result({ host: name, slots, labels, root }, `Host ${name} starts up to ${String(slots)} members here.`);
    },
    tell: (line) => context.info(line),
  });
  return interrupts.code ?? 0;
};
