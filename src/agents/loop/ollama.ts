/** Models on the user's own machine, by Ollama: its list names them, and its OpenAI-compatible API calls them. */
import * as z from 'zod';
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { Agent, AgentContext } from '../agent-contract.ts';
import { seesImages, windowOf } from './model-choice.ts';
import { modelAgent } from './model-agent.ts';
import { loopOptions, variable, type ModelUnavailable, type ModelVendor } from './model-vendor.ts';

const NAME = 'Ollama';
const ADDRESS = 'http://127.0.0.1:11434';
/** Ollama's default window of a model, in tokens; a server can be configured otherwise. */
const WINDOW = { tokens: 4_096, output: 1_024 };

const tagsSchema = z.looseObject({ models: z.array(z.looseObject({ name: z.string() })) });

const vendor: ModelVendor = {
  name: NAME,
  unreachable: 'not_installed',
  async resolveModel(spec, { env, signal }) {
    const address = addressOf(spec.baseUrl ?? variable(env, 'OLLAMA_HOST') ?? ADDRESS);
    const name = spec.model ?? (await firstModel(address, signal));
    if (typeof name !== 'string') return name;
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({ name: 'ollama', baseURL: `${address}/v1`, includeUsage: true });
    const tokens = Number(variable(env, 'OLLAMA_CONTEXT_LENGTH') ?? WINDOW.tokens);
    const { providerOptions } = loopOptions(spec);
    return {
      model: provider(name),
      name,
      seesImages: seesImages(spec, name),
      window: windowOf(spec, name, { tokens: Number.isFinite(tokens) ? tokens : WINDOW.tokens, output: WINDOW.output }),
      providerOptions: providerOptions && { ollama: providerOptions },
    };
  },
};

/** `OLLAMA_HOST` may omit the protocol, and names the address on which the server listens. */
function addressOf(text: string): string {
  const url = text.includes('://') ? text : `http://${text}`;
  return url.replace('//0.0.0.0', '//127.0.0.1').replace(/\/+(?:v1\/*)?$/, '');
}

/** The first model of the list. */
async function firstModel(address: string, signal: AbortSignal): Promise<string | ModelUnavailable> {
  try {
    const response = await fetch(`${address}/api/tags`, { signal });
    const tags = tagsSchema.safeParse(await response.json());
    const first = tags.success ? tags.data.models[0]?.name : undefined;
    return first ?? { why: 'not_installed', message: `${NAME} at ${address} has no model: \`ollama pull\` one.` };
  } catch {
    // Whatever the error is, there is no usable Ollama.
    return { why: 'not_installed', message: `No server answers at ${address}: is \`ollama serve\` running?` };
  }
}

export const ollama = (spec: AgentSpec, agentContext: AgentContext): Agent => modelAgent(spec, agentContext, vendor);
