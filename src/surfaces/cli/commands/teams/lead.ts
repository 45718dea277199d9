/** `teams lead`: a lead process on a team that is there. */
import * as z from 'zod';
import { leadTeam } from '../../../../index.ts';
import { Endings } from '../../interrupts.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { detached } from '../../input/lead-run.ts';
import { mustNotBeMember } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';
import { progressOf } from '../runs/run.ts';

const schema = z.object({ detach: flag, takeover: flag });

export const act: Act = async (frame, given) => {
  const { detach, takeover } = readOptions(schema, given);
  mustNotBeMember(frame, 'leads');
  const { team, words } = chooseTeam(frame, given.words);
  noMore(words);
  const { paths, name } = team;
  if (detach) return detached(frame, paths, ['lead', name, '--root', paths.root, ...(takeover ? ['--takeover'] : [])]);
  using endings = new Endings();
  const progress = frame.flags.quiet ? undefined : await progressOf(frame)(paths);
  try {
    const code = await leadTeam(
      paths,
      { ...settings(frame).session, takeover },
      { signal: endings.stop, force: endings.force },
    );
    frame.answer({ team: name, exitCode: endings.code ?? code }, '');
    return endings.code ?? code;
  } finally {
    await progress?.stop();
  }
};
