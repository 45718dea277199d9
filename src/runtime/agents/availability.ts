/**
 * Whether an agent could work here, as far as that is known without a call: its program is on PATH, its key is set, its
 * server answers. Only a turn shows the rest, such as an expired login.
 */
import { resolve } from 'node:path';
import { probeServer } from '../../agents/probe.ts';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { recordOf } from '../../model/agent/agent-kinds.ts';
import { AgentError } from '../../model/text/errors.ts';
import { findProgram } from '../../os/program-path.ts';
import { shellKnows } from '../../os/shell-word.ts';

export interface Availability {
  readonly isAvailable: boolean;
  /** What was found, or what is missing. */
  readonly found: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const OWN: Availability = { isAvailable: true, found: 'part of teams' };
const OLLAMA = 'http://127.0.0.1:11434';

/**
 * @param environment of this process; an agent's own `env` takes precedence
 * @param cwd the member's working directory, absolute. If it is given, the program of a command is looked for, too.
 */
export async function availabilityOf(spec: AgentSpec, environment: Environment, cwd?: string): Promise<Availability> {
  const env = { ...environment, ...spec.env };
  const { drive, program, apiKeys } = recordOf(spec.kind);
  if (apiKeys !== undefined) return keyFound(spec, apiKeys, env);
  switch (drive) {
    case 'command':
      return cwd === undefined ? OWN : commandFound(spec.command ?? [], env, cwd);
    case 'script':
      return OWN;
    case 'program':
      return programFound(spec.command?.[0] ?? program, env, cwd);
    case 'api':
      return server(spec.baseUrl ?? addressOf(env['OLLAMA_HOST']));
    default:
      return drive satisfies never;
  }
}

/** A relative path starts at the member's working directory; where that is not known, the path is not checked. */
function programFound(name: string | undefined, env: Environment, cwd: string | undefined): Availability {
  if (name === undefined) return { isAvailable: false, found: 'an acp agent needs a command' };
  const isRelative = RELATIVE.test(name);
  if (isRelative && cwd === undefined) return { isAvailable: true, found: name };
  const path = findProgram(isRelative ? resolve(cwd ?? '', name) : name, env['PATH'] ?? '');
  return path === undefined
    ? { isAvailable: false, found: `no program ${name}${name.includes('/') ? '' : ' on PATH'}` }
    : { isAvailable: true, found: path };
}

const RELATIVE = /^[^/]+\//;

/** The first word of a shell text, where it is plain: no quote, variable, assignment or grouping. */
const FIRST_WORD = /^\s*([\w.@%+,:/-]+)(?=\s|$)/;

/** The program of a command, or the first word of a text for the shell. What cannot be told is believed. */
function commandFound(command: readonly string[], env: Environment, cwd: string): Availability {
  const [program, flag, text] = command;
  if (program === undefined) return OWN;
  if (program !== '/bin/sh' || flag !== '-c' || text === undefined) return programFound(program, env, cwd);
  const [, word] = FIRST_WORD.exec(text) ?? [];
  if (word === undefined) return OWN;
  if (!word.includes('/') && shellKnows(word, env['PATH'] ?? '')) return OWN;
  return programFound(word, env, cwd);
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

/**
 * @param cwd as for `availabilityOf`
 * @throws AgentError `AGENT_UNAVAILABLE` naming the member and what is missing
 */
export async function requireAvailable(
  spec: AgentSpec,
  member: string,
  environment: Environment,
  cwd?: string,
): Promise<void> {
  const { isAvailable, found } = await availabilityOf(spec, environment, cwd);
  if (!isAvailable)
    throw new AgentError(
      'AGENT_UNAVAILABLE',
      `The agent of ${member} cannot work here: ${found}; \`teams doctor\` says what to do.`,
    );
}
