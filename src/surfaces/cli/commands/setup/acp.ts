/** `teams acp`: an agent of the Agent Client Protocol on stdio; the editor of a person leads teams. */
import * as z from 'zod';
import type { CliContext } from '../../context.ts';
import { editorWork, EditorRelays } from '../../input/editor-work.ts';
import { budgetFlags } from '../../input/limit-change.ts';
import { noMore, readOptions, text } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { Interrupts } from '../../interrupts.ts';
import type { Act } from '../../verb.ts';
import { VERSION } from '../../version.ts';

const schema = z.object({
  agent: text,
  planner: text,
  reviewer: text,
  ...budgetFlags,
});

export const act: Act = async (context, given) => {
  const options = readOptions(schema, given);
  noMore(given.words);
  refuseMembers(context, 'lead a team');
  using interrupts = new Interrupts();
  await serve(context, options, interrupts);
  return interrupts.code ?? 0;
};

async function serve(context: CliContext, options: z.infer<typeof schema>, interrupts: Interrupts): Promise<void> {
  const { serveAcp } = await import('../../../acp/serve-acp.ts');
  using relays = new EditorRelays();
  await serveAcp({
    work: editorWork(context, options, relays),
    version: VERSION,
    wire: context.io.wire,
    stop: AbortSignal.any([interrupts.stop, context.io.gone]),
    force: interrupts.force,
    onTrouble: (error) => context.info(`teams acp: ${error.message}`),
  });
}
