/** `teams validate`: checks a plan and the agents of its members, and shows it. */
import * as z from 'zod';
import { previewPlan } from '../../../../app.ts';
import { chooseDefaultAgent, defaultAgent, requireAgents } from '../../input/default-agent.ts';
import { readOptions, text, texts } from '../../input/options.ts';
import { planOf } from '../../input/plan-arguments.ts';
import { rootOf } from '../../input/root.ts';
import { settings } from '../../input/settings.ts';
import { parseVars } from '../../input/vars.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ agent: text, var: texts });

export const act: Act = async (frame, given) => {
  const options = readOptions(schema, given);
  const here = settings(frame);
  const context = {
    cwd: frame.io.cwd,
    vars: parseVars(options.var),
    agents: here.agents,
    defaultAgent: defaultAgent(here, options.agent),
    maxMembers: here.merged.config.maxMembers,
  };
  const written = await planOf(frame, given.words, context);
  const chosen = await chooseDefaultAgent(written, here, frame.io);
  await requireAgents(chosen, frame.io);
  const { text: shown, followUps, estimate } = previewPlan(chosen.plan, rootOf(frame), here.merged.config);
  frame.result({ plan: chosen.plan, followUps, estimate }, shown);
  return 0;
};
