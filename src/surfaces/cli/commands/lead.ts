/** `teams lead`: a lead process on a team that is there. */
import * as z from 'zod';
import { leadTeam } from '../../../index.ts';
import { Endings } from '../endings.ts';
import { flag, noMore, readOptions } from '../given.ts';
import { detached } from '../lead-run.ts';
import { mustNotBeMember } from '../own-member.ts';
import { settings } from '../settings.ts';
import { chooseTeam } from '../team-choice.ts';
import type { Act } from '../verb.ts';
import { progressOf } from './run.ts';

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
