/** From an agent as data to the agent. A kind's code is loaded when the first of that kind is made. */
import type { AgentSpec } from '../model/agent/agent.ts';
import type { Agent, Seat } from './agent-contract.ts';

/**
 * @param seat without one it is good for errands
 * @throws UsageError `USAGE` when the options are not that kind's
 */
export async function agentFor(spec: AgentSpec, seat: Seat = {}): Promise<Agent> {
  switch (spec.kind) {
    case 'exec':
      return (await import('./programs/exec.ts')).exec(spec, seat);
    case 'scripted':
      return (await import('./scripted.ts')).scripted(spec, seat.crash);
    case 'anthropic':
      return (await import('./loop/anthropic.ts')).anthropic(spec, seat);
    case 'openai':
      return (await import('./loop/openai.ts')).openai(spec, seat);
    case 'google':
      return (await import('./loop/google.ts')).google(spec, seat);
    case 'ollama':
      return (await import('./loop/ollama.ts')).ollama(spec, seat);
    case 'claude':
      return (await import('./programs/claude.ts')).claude(spec, seat);
    case 'codex':
      return (await import('./programs/codex.ts')).codex(spec, seat);
    case 'gemini':
    case 'opencode':
    case 'acp':
      return (await import('./programs/acp.ts')).acp(spec, seat);
  }
}

export type {
  Agent,
  AgentEvent,
  CallAnswer,
  Incoming,
  Seat,
  Server,
  Turn,
  TurnEnd,
  TurnInput,
} from './agent-contract.ts';
export { loginFiles } from './logins.ts';
export { childEnvironment, type EnvironmentSources } from './environment.ts';
export { scriptSchema } from './script.ts';
