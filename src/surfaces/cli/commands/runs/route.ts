/** `teams route`: shows which agent and tier a task would get, and why. */
import * as z from 'zod';
import { routeText, UsageError } from '../../../../app.ts';
import { defaultAgent } from '../../input/default-agent.ts';
import { readOptions, text } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import { givenText } from '../../input/stdin.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ agent: text });

export const act: Act = async (context, given) => {
  const { agent: flag } = readOptions(schema, given);
  // Refuses a name that is unknown.
  defaultAgent(settings(context), flag);
  const task = await givenText(context, given.words.join(' '));
  if (task.trim() === '') throw new UsageError('USAGE', 'Which task? `teams route "Add a login page"`.');
  const routed = await routeText(task, settings(context).merged.config, context.io.environment, flag);
  const { domain, score, tier, agent, role, words, why } = routed;
  const rows = [
    `agent    ${agent ?? 'none is available here'} (${role})`,
    `domain   ${domain} (backend: ${words.backend.join(', ') || 'no word'}; frontend: ${words.frontend.join(', ') || 'no word'})`,
    `tier     ${tier} (score ${score})`,
    `why      ${why}`,
  ];
  context.result(routed, rows.join('\n'));
  return 0;
};
