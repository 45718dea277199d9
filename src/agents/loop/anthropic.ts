/** Anthropic's models, through their API. */
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { Agent, AgentContext } from '../agent-contract.ts';
import { modelAgent } from './model-agent.ts';
import { modelName, seesImages, windowOf } from './model-choice.ts';
import { loopOptions, noKey, variable, versioned, type ModelVendor } from './model-vendor.ts';

const NAME = 'Anthropic';
const ADDRESS = 'https://api.anthropic.com';

/** Models whose thinking blocks are bound to the exact conversation they were made in; ours is sometimes shortened. */
const BINDS = /^claude-(?:fable|mythos|opus|sonnet|haiku)-5-[1-9]/;

const vendor: ModelVendor = {
  name: NAME,
  unreachable: 'crashed',
  async resolveModel(spec, { env }) {
    const [apiKey, authToken] = [variable(env, 'ANTHROPIC_API_KEY'), variable(env, 'ANTHROPIC_AUTH_TOKEN')];
    if (apiKey === undefined && authToken === undefined) return noKey(NAME, 'ANTHROPIC_API_KEY');
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const baseURL = versioned(spec.baseUrl ?? variable(env, 'ANTHROPIC_BASE_URL') ?? ADDRESS, 'v1');
    const provider = createAnthropic({
      baseURL,
      ...(apiKey === undefined ? { authToken: authToken ?? '' } : { apiKey }),
    });
    const name = modelName(spec);
    const forgets = BINDS.test(name) ? { thinking: { blockBinding: { prefixMismatchBehavior: 'drop_block' } } } : {};
    const { providerOptions = {} } = loopOptions(spec);
    return {
      model: provider(name),
      name,
      window: windowOf(spec, name),
      seesImages: seesImages(spec, name),
      // The next call of a turn reads the earlier part of the conversation from the vendor's cache.
      providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' }, ...forgets, ...providerOptions } },
    };
  },
};

export const anthropic = (spec: AgentSpec, agentContext: AgentContext): Agent => modelAgent(spec, agentContext, vendor);
