/** Google's Gemini models, through their API. */
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { Agent, AgentContext } from '../agent-contract.ts';
import { modelName, seesImages, windowOf } from './model-choice.ts';
import { modelAgent } from './model-agent.ts';
import { loopOptions, noKey, variable, versioned, type ModelVendor } from './model-vendor.ts';

const NAME = 'Google';
const ADDRESS = 'https://generativelanguage.googleapis.com';
const KEYS = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'];

const vendor: ModelVendor = {
  name: NAME,
  unreachable: 'crashed',
  async resolveModel(spec, { env }) {
    const apiKey = variable(env, ...KEYS);
    if (apiKey === undefined) return noKey(NAME, ...KEYS);
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    const baseURL = versioned(spec.baseUrl ?? variable(env, 'GOOGLE_GEMINI_BASE_URL') ?? ADDRESS, 'v1beta');
    const name = modelName(spec);
    const { providerOptions } = loopOptions(spec);
    return {
      model: createGoogleGenerativeAI({ baseURL, apiKey })(name),
      name,
      window: windowOf(spec, name),
      seesImages: seesImages(spec, name),
      providerOptions: providerOptions && { google: providerOptions },
    };
  },
};

export const google = (spec: AgentSpec, agentContext: AgentContext): Agent => modelAgent(spec, agentContext, vendor);
