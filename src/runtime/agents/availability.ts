/**
 * Whether an agent could work here, as far as that is known without a call: its program is on PATH, its key is set, its
 * server answers. Only a turn shows the rest, such as an expired login.
 */
import { probeServer } from '../../agents/probe.ts';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { recordOf } from '../../model/agent/agent-kinds.ts';
import { AgentError } from '../../model/text/errors.ts';
import { findProgram } from '../../os/program-path.ts';

export interface Availability {
  readonly isAvailable: boolean;
  /** What was found, or what is missing. */
  readonly found: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const OLLAMA = 'http://127.0.0.1:11434';

/** @param environment of this process; an agent's own `env` takes precedence */
export async function availabilityOf(spec: AgentSpec, environment: Environment): Promise<Availability> {
  const env = { ...environment, ...spec.env };
  const { drive, program, apiKeys } = recordOf(spec.kind);
  if (apiKeys !== undefined) return keyFound(spec, apiKeys, env);
  switch (drive) {
    case 'command':
    case 'script':
      return { isAvailable: true, found: 'part of teams' };
    case 'program':
      return programFound(spec.command?.[0] ?? program, env);
    case 'api':
      return server(spec.baseUrl ?? addressOf(env['OLLAMA_HOST']));
    default:
      return drive satisfies never;
  }
}

function programFound(name: string | undefined, env: Environment): Availability {
  if (name === undefined) return { isAvailable: false, found: 'an acp agent needs a command' };
  // A relative path starts at the member's working directory, which is known only when it is started.
  const path = /^[^/]+\//.test(name) ? name : findProgram(name, env['PATH'] ?? '');
  return path === undefined
    ? { isAvailable: false, found: `no program ${name}${name.startsWith('/') ? '' : ' on PATH'}` }
    : { isAvailable: true, found: path };
}

/** The user's own endpoint may need no key. */
function keyFound({ baseUrl }: AgentSpec, names: readonly string[], env: Environment): Availability {
  const name = names.find((one) => (env[one] ?? '') !== '');
  if (name !== undefined) return { isAvailable: true, found: `${name} is set` };
  return baseUrl === undefined
    ? { isAvailable: false, found: `${names.join(' or ')} is not set` }
    : { isAvailable: true, found: baseUrl };
}

const addressOf = (host: string | undefined): string =>
  host === undefined || host === '' ? OLLAMA : host.includes('://') ? host : `http://${host}`;

async function server(baseUrl: string): Promise<Availability> {
  const status = await probeServer(new URL('/api/tags', baseUrl));
  return status === undefined
    ? { isAvailable: false, found: `nothing answers at ${baseUrl}` }
    : { isAvailable: status === 200, found: `${baseUrl} answers ${status}` };
}

/** @throws AgentError `AGENT_UNAVAILABLE` naming the member and what is missing */
export async function requireAvailable(spec: AgentSpec, member: string, environment: Environment): Promise<void> {
  const { isAvailable, found } = await availabilityOf(spec, environment);
  if (!isAvailable)
    throw new AgentError(
      'AGENT_UNAVAILABLE',
      `The agent of ${member} cannot work here: ${found}; \`teams doctor\` says what to do.`,
    );
}
