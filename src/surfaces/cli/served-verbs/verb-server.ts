/**
 * While a process leads a team, it answers the verbs that only look, for other processes of the user in the same root:
 * those load nothing but Node (`bin/ask-lead.cjs`).
 */
import { answerAsLead, frequentBundle, type TeamPaths } from '../../../app.ts';
import type { CliContext } from '../context.ts';

/** @param context of the verb that leads */
export function serveVerbs({ store, io }: CliContext, { root }: TeamPaths): Disposable | undefined {
  // The teams of a store are asked through its relay; a verb without a process of its own belongs to a test or a host.
  if (store !== undefined || io.own === undefined) return undefined;
  return answerAsLead(root, frequentBundle, io.environment, async (request, lead) => {
    const { answerVerb } = await import('./verb-answer.ts');
    await answerVerb(request, lead);
  });
}
