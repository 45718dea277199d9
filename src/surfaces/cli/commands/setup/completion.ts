/** `teams completion`: prints a shell's completion script. */
import { UsageError } from '../../../../app.ts';
import { SCRIPTS } from '../../completion/completion-scripts.ts';
import type { Act } from '../../verb.ts';

export const act: Act = async (context, { words }) => {
  const [shell = ''] = words;
  const script = SCRIPTS.get(shell);
  if (script === undefined)
    throw new UsageError(
      'USAGE',
      `There is no completion for ${JSON.stringify(shell)}; expected one of ${[...SCRIPTS.keys()].join(', ')}.`,
    );
  context.io.stdout.write(script);
  return Promise.resolve(0);
};
