/** `teams pause` and `teams unpause`: nothing new begins in a paused team. */
import { count, openHandle } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { noMore } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

export const pause: Act = (context, { words }) => change(context, words, true);
export const unpause: Act = (context, { words }) => change(context, words, false);

async function change(context: CliContext, given: readonly string[], isPaused: boolean): Promise<number> {
  refuseMembers(context, isPaused ? 'pause its team' : 'end a pause of its team');
  const { team, words } = chooseTeam(context, given);
  noMore(words);
  await using handle = openHandle(team.name, settings(context).open);
  const isChanged = await (isPaused ? handle.pause() : handle.unpause());
  const { in_progress: working } = count(handle.store.board.fold());
  context.result(
    { team: team.name, paused: isPaused, changed: isChanged, working },
    isPaused ? pausedText(team.name, isChanged, working) : unpausedText(team.name, isChanged),
  );
  return 0;
}

function pausedText(team: string, isChanged: boolean, working: number): string {
  const turns = working === 0 ? '' : ` ${working} ${working === 1 ? 'task' : 'tasks'} may end the present turn.`;
  const cure = ` \`teams unpause ${team}\` lets it go on.`;
  return `Team ${team} is ${isChanged ? '' : 'already '}paused: nothing begins.${turns}${cure}`;
}

const unpausedText = (team: string, isChanged: boolean): string =>
  isChanged ? `Team ${team} goes on.` : `Team ${team} is not paused.`;
