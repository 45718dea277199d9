/** The model APIs with our own loop, each in the contract suite with the model server. */
import { agentFor } from '../../../src/agents/agent-registry.ts';
import type { AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import { describeWithModel, type Cast } from '../model-contract.ts';

const keys = { ANTHROPIC_API_KEY: 'none', OPENAI_API_KEY: 'none', GEMINI_API_KEY: 'none' };

const cast = (kind: AgentKind, path = '', over: Partial<Cast> = {}): Cast => ({
  kind,
  open: async ({ url, home, session }) => {
    const spec = { kind, model: 'mock-model', baseUrl: url + path, options: { maxRetries: 1 } };
    return {
      agent: await agentFor(spec, { home, session }),
      input: { env: keys, tools: ['SendMessage', 'TaskList'] },
      sent: ({ events }) =>
        events.flatMap((event) => (event.type === 'called' ? [String(event.input['content'])] : [])),
    };
  },
  cannot: { 'own tool': 'all of its tools are carried out by us' },
  ...over,
});

describeWithModel(cast('anthropic'));
describeWithModel(cast('openai', '/v1'));
describeWithModel(cast('google'));
describeWithModel(cast('ollama', '', { classes: { refused: 'not_installed' } }));
