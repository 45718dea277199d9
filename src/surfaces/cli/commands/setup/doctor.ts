/** `teams doctor`: checks what works on this machine, and shows how to fix what does not. */
import * as z from 'zod';
import {
  diagnose,
  isPublicKey,
  noPublicKey,
  parseName,
  safeText,
  trustKey,
  trustProject,
  trustTeam,
  type Check,
  type TaskCommand,
  type Unproved,
  UsageError,
} from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { confirmed } from '../../input/confirm.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { requireGivenRoot, rootOf } from '../../input/root.ts';
import { table } from '../../output/table.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ breakLock: flag, trust: z.union([z.boolean(), z.string()]).default(false) });

export const act: Act = async (context, given) => {
  const { breakLock, trust } = readOptions(schema, given);
  noMore(given.words);
  const root = rootOf(context);
  requireGivenRoot(context, root);
  if (breakLock || trust !== false) refuseMembers(context, 'trust files or remove locks');
  if (trust === true) trustProject(root);
  else if (trust !== false && trust.includes(':')) {
    if (!isPublicKey(trust)) throw new UsageError('USAGE', `--trust: ${noPublicKey(trust)}`);
    context.info(`What ${trust} signs counts as yours on this machine, until ${trustKey(trust)} is removed.`);
  } else if (trust !== false) {
    const isAgreed = await trustTeam(root, parseName('team', trust), (unproved) => agreed(context, unproved));
    if (!isAgreed) return 1;
  }
  const checks = await diagnose(root, context.io.environment, { breakLocks: breakLock });
  context.result({ checks }, describe(checks));
  return checks.some(isFault) ? 1 : 0;
};

/** Shows every command before it asks: who says yes has seen what will run. */
function agreed(context: CliContext, { commands, trees, plan, settings }: Unproved): Promise<boolean> {
  const ofTrees = trees.map((command) => `each tree: ${command}`);
  const ofPlan = (plan ?? []).map((line) => `plan | ${line}`);
  const lines = [...commands.flatMap(commandLines), ...ofTrees, ...settings, ...ofPlan];
  for (const line of lines) context.io.stderr.write(`${safeText(line)}\n`);
  const count = commands.length === 1 ? 'this command' : `these commands of ${commands.length} tasks`;
  const what = [
    ...(commands.length === 0 ? [] : [count]),
    ...(settings.length === 0 ? [] : ['these settings']),
    ...(trees.length === 0 ? [] : ['what trees are set up with']),
    ...(plan === undefined ? [] : ['this plan']),
  ].join(' and ');
  return confirmed(context, `You did not give ${what} on this machine. Trust the team, and let them run?`);
}

function commandLines({ task, run, verify, env }: TaskCommand): string[] {
  const ran = typeof run === 'object' ? JSON.stringify(run) : run;
  return [
    ...Object.entries(env).map(([name, value]) => `env: ${name}=${value}`),
    ...(ran === undefined ? [] : [`run: ${ran}`]),
    ...verify.map((command) => `verify: ${command}`),
  ].map((what) => `task #${task} ${what}`);
}

const isFault = ({ ok, absent }: Check): boolean => !ok && absent !== true;

/** `-` marks what is absent and not required, so that a person sees at once what is usable. */
const stateOf = (check: Check): string => (check.ok ? 'ok' : isFault(check) ? 'NOT OK' : '-');

function describe(checks: readonly Check[]): string {
  const lines = table(checks.map((check) => [stateOf(check), check.name, check.found]));
  const cures = checks.filter(isFault).map(({ name, cure }) => `  ${name}: ${cure}`);
  return cures.length === 0 ? lines : [lines, '', 'Cures', ...cures].join('\n');
}
