/** Keeps our folders out of git, and says so when that changed something. */
import { excludeFromGit } from '../../../index.ts';
import type { Frame } from '../context.ts';
import { rootOf } from './root.ts';

export function tellExcluded(frame: Frame): void {
  const added = excludeFromGit(rootOf(frame));
  if (added.length > 0) frame.say(`Added ${added.join(' and ')} to .git/info/exclude.`);
}
