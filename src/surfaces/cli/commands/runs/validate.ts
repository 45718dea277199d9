/** `teams validate`: checks a plan and shows it. */
import * as z from 'zod';
import { describePlan } from '../../../../app.ts';
import { defaultAgent } from '../../input/default-agent.ts';
import { readOptions, texts } from '../../input/options.ts';
import { planOf } from '../../input/plan-arguments.ts';
import { settings } from '../../input/settings.ts';
import { parseVars } from '../../input/vars.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ var: texts });

export const act: Act = async (frame, given) => {
  const options = readOptions(schema, given);
  const here = settings(frame);
  const context = {
    cwd: frame.io.cwd,
    vars: parseVars(options.var),
    agents: here.agents,
    defaultAgent: defaultAgent(here, undefined),
  };
  const { plan } = await planOf(frame, given.words, context);
  frame.result({ plan }, describePlan(plan));
  return 0;
};
