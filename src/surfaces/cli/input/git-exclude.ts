/** Adds the team folders to git's exclude file, and reports what was added. */
import { excludeFromGit } from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { rootOf } from './root.ts';

export function excludeTeamFiles(context: CliContext): void {
  const { added, warning } = excludeFromGit(rootOf(context));
  if (warning !== undefined) context.warn(warning);
  if (added.length > 0) context.info(`Added ${added.join(' and ')} to .git/info/exclude.`);
}
