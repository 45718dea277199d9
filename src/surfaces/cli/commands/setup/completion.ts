/** `teams completion`: prints a shell's completion script. */
import { UsageError } from '../../../../app.ts';
import { isShell, printScript, shells } from '../../shell-completion.ts';
import type { Act } from '../../verb.ts';

export const act: Act = async ({ io }, { words }) => {
  const [shell = ''] = words;
  if (!isShell(shell))
    throw new UsageError('USAGE', `There is no completion for ${JSON.stringify(shell)}; expected one of ${shells}.`);
  await printScript(shell, io);
  return 0;
};
