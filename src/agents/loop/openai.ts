/** OpenAI's models, and every server that speaks its Chat Completions API at another address. */
import type { AgentSpec } from '../../model/agent/agent.ts';
import { defined } from '../../model/text/defined.ts';
import type { Agent, AgentContext } from '../agent-contract.ts';
import { modelName, seesImages, windowOf } from './model-choice.ts';
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
    // The user's own gateway may need no key.
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
      seesImages: seesImages(spec, name),
      providerOptions: providerOptions && { openai: providerOptions },
    };
  },
};

/** OpenAI's own models use `max_completion_tokens`, and refuse `max_tokens`, which all other servers know. */
const renamed = ({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> => ({
  ...body,
  ...defined({ max_completion_tokens: max_tokens }),
});

/** @throws UsageError `USAGE` without a model: no model exists at all endpoints */
export function openai(spec: AgentSpec, agentContext: AgentContext): Agent {
  modelName(spec);
  return modelAgent(spec, agentContext, vendor);
}
