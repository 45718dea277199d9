/** `teams init`: a project's configuration, all of it commented out, and git excludes. Nothing is overwritten. */
import { initPlan, initProject } from '../../../index.ts';
import { confirmed } from '../confirm.ts';
import { noMore } from '../given.ts';
import { rootOf } from '../root.ts';
import type { Act } from '../verb.ts';

export const act: Act = async (frame, given) => {
  noMore(given.words);
  // A project is set up where one stands, whatever stands above it.
  const root = frame.flags.root === undefined ? frame.outside.cwd : rootOf(frame);
  const changes = initPlan(root);
  for (const { file, what } of changes) frame.say(`${file}: ${what}`);
  if (changes.length === 0) frame.say('Everything is there already.');
  const isWanted = changes.length > 0 && (!frame.isInteractive || (await confirmed(frame, 'Write this?')));
  if (isWanted) initProject(root);
  frame.answer({ root, changes, written: isWanted }, '');
  return 0;
};
