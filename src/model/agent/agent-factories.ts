/** Makes agents as data, by kind, for programs: the same values as `agent:` in a plan. */
import { execAgent, type AgentSpec } from './agent.ts';
import type { AgentKind } from './agent-kinds.ts';

type Rest = Omit<AgentSpec, 'kind'>;

const kind =
  (name: AgentKind) =>
  (rest: Rest = {}): AgentSpec => ({ kind: name, ...rest });

export const agents = {
  /** A shell text or an argv that runs once for each task, with the task's text on its stdin. */
  exec: execAgent,
  /** Answers with `options.turns`; for tests and demonstrations. */
  scripted: kind('scripted'),
  claude: kind('claude'),
  codex: kind('codex'),
  gemini: kind('gemini'),
  opencode: kind('opencode'),
  acp: kind('acp'),
  anthropic: kind('anthropic'),
  openai: kind('openai'),
  google: kind('google'),
  ollama: kind('ollama'),
} as const satisfies Readonly<Record<AgentKind, unknown>>;
