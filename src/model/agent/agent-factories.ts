/** Agents as data, made by kind: what a program writes where a plan has `agent:`. */
import { execAgent, type AgentSpec } from './agent.ts';
import type { AgentKind } from './agent-kinds.ts';

type Rest = Omit<AgentSpec, 'kind'>;

const kind =
  (name: AgentKind) =>
  (rest: Rest = {}): AgentSpec => ({ kind: name, ...rest });

export const agents = {
  /** A shell text or an argv that is run once for each task, the task's text on its stdin. */
  exec: execAgent,
  /** Says what `options.turns` tell it; for tests and demonstrations. */
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
