/** OpenAI's models, and whatever speaks its Chat Completions API at another address. */
import type { AgentSpec } from '../../model/agent/agent.ts';
import { defined } from '../../model/text/defined.ts';
import type { Agent, AgentContext } from '../agent-contract.ts';
import { modelName, windowOf } from './model-choice.ts';
import { modelAgent } from './model-agent.ts';
import { loopOptions, noKey, variable, type ModelVendor } from './model-vendor.ts';

const NAME = 'OpenAI';
const ADDRESS = 'https://api.openai.com/v1';

const vendor: ModelVendor = {
  name: NAME,
  unreachable: 'crashed',
  async resolveModel(spec, { env }) {
    const apiKey = variable(env, 'OPENAI_API_KEY');
    const baseURL = spec.baseUrl ?? variable(env, 'OPENAI_BASE_URL') ?? ADDRESS;
    // A gateway of one's own may want none.
    if (apiKey === undefined && baseURL === ADDRESS) return noKey(NAME, 'OPENAI_API_KEY');
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name: 'openai',
      baseURL,
      includeUsage: true,
      ...defined({ apiKey }),
      ...(baseURL === ADDRESS ? { transformRequestBody: renamed } : {}),
    });
    const name = modelName(spec);
    const { providerOptions } = loopOptions(spec);
    return {
      model: provider(name),
      name,
      window: windowOf(spec, name),
      providerOptions: providerOptions && { openai: providerOptions },
    };
  },
};

/** OpenAI's own models have another word for it, and refuse the one that all others know. */
const renamed = ({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> => ({
  ...body,
  ...defined({ max_completion_tokens: max_tokens }),
});

/** @throws UsageError `USAGE` without a model: there is none that all endpoints have */
export function openai(spec: AgentSpec, agentContext: AgentContext): Agent {
  modelName(spec);
  return modelAgent(spec, agentContext, vendor);
}
