/** Makes an agent from its data. The code of a kind is loaded when the first agent of that kind is made. */
import type { AgentSpec } from '../model/agent/agent.ts';
import type { Agent, AgentContext } from './agent-contract.ts';

/**
 * @param agentContext without one, the agent can serve as a subagent
 * @throws UsageError `USAGE` when the options do not fit the kind
 */
export async function agentFor(spec: AgentSpec, agentContext: AgentContext = {}): Promise<Agent> {
  switch (spec.kind) {
    case 'exec':
      return (await import('./programs/exec.ts')).exec(spec, agentContext);
    case 'scripted':
      return (await import('./scripted.ts')).scripted(spec, agentContext.crash);
    case 'anthropic':
      return (await import('./loop/anthropic.ts')).anthropic(spec, agentContext);
    case 'openai':
      return (await import('./loop/openai.ts')).openai(spec, agentContext);
    case 'google':
      return (await import('./loop/google.ts')).google(spec, agentContext);
    case 'ollama':
      return (await import('./loop/ollama.ts')).ollama(spec, agentContext);
    case 'claude':
      return (await import('./programs/claude.ts')).claude(spec, agentContext);
    case 'codex':
      return (await import('./programs/codex.ts')).codex(spec, agentContext);
    case 'gemini':
    case 'opencode':
    case 'acp':
      return (await import('./programs/acp.ts')).acp(spec, agentContext);
  }
}

export type { Agent, Isolate, AgentEvent, CallAnswer, AgentContext, Turn } from './agent-contract.ts';
export { lentLogins, loginFiles } from './logins.ts';
export { childEnvironment } from './environment.ts';
