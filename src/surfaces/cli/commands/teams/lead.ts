/** `teams lead`: runs the lead process of an existing team. */
import * as z from 'zod';
import { leadTeam } from '../../../../app.ts';
import { Interrupts } from '../../interrupts.ts';
import { cutOffAfter, flag, noMore, publicKeys, readOptions, trustKeys } from '../../input/options.ts';
import { cutOffWords, detached, stoppingText } from '../../input/lead-run.ts';
import { budgetFlags, budgetWords, withLimits } from '../../input/limit-change.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';
import { serveVerbs } from '../../served-verbs/verb-server.ts';
import { progressOf } from '../runs/run.ts';

const schema = z.object({ detach: flag, takeover: flag, cutOffAfter, trust: publicKeys, ...budgetFlags });

export const act: Act = async (context, given) => {
  const { detach, takeover, cutOffAfter: endAfter, trust, ...limits } = readOptions(schema, given);
  refuseMembers(context, 'lead a team');
  trustKeys(context, trust);
  const { team, words } = chooseTeam(context, given.words);
  noMore(words);
  const { paths, name } = team;
  if (detach)
    return detached(context, paths, [
      'lead',
      name,
      '--root',
      paths.root,
      ...(takeover ? ['--takeover'] : []),
      ...cutOffWords(endAfter),
      ...budgetWords(limits),
    ]);
  using interrupts = new Interrupts();
  interrupts.stop.addEventListener('abort', () => context.warn(stoppingText(context, paths, interrupts)), {
    once: true,
  });
  using _verbs = serveVerbs(context, paths);
  const progress = await progressOf(context)(paths);
  try {
    const code = await leadTeam(
      paths,
      { ...withLimits(settings(context).session, limits), takeover, cutOffAfterMs: endAfter },
      { signal: interrupts.stop, force: interrupts.force, leave: interrupts.leave },
    );
    context.result({ team: name, exitCode: interrupts.code ?? code }, '');
    return interrupts.code ?? code;
  } finally {
    await progress?.stop();
  }
};
