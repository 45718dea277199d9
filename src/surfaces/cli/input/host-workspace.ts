/** The workspace of a host that gets shell and file tools. */
import { openWorkspace, type Permissions, type Workspace } from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { settings } from './settings.ts';

/** Its commands get no API keys in their environment. */
export async function hostWorkspace(
  context: CliContext,
  root: string,
  permissions: () => Permissions,
): Promise<Workspace> {
  const { environment } = context.io;
  const { bwrap, lend } = settings(context).merged.config.sandbox;
  const onWarning = (text: string): void => context.warn(text);
  return openWorkspace({ root, isolation: bwrap, lend, permissions, onWarning, environment });
}
