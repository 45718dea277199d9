/** Adds the team folders to git's exclude file, and says so. */
import { excludeFromGit } from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { rootOf } from './root.ts';

export function excludeTeamFiles(context: CliContext): void {
  // A replica is in no project.
  if (context.store !== undefined) return;
  const { isAdded, warning } = excludeFromGit(rootOf(context));
  if (warning !== undefined) context.warn(warning);
  if (isAdded) context.info('git ignores the folders of teams from now on (.git/info/exclude).');
}
