/**
 * Which agent a task goes to (docs/specification.md R8.6). Its domain is the side with more distinct signal words. If
 * they are available, codex gets backend tasks and gemini gets frontend tasks. All other tasks go to the default agent.
 */
import { routedTo, type AgentKind } from '../../model/agent/agent-kinds.ts';
import { parseName, type Name } from '../../model/text/names.ts';
import { BACKEND, FRONTEND, hits } from './signals.ts';
import type { TaskType } from '../task-type.ts';

export type Domain = 'backend' | 'frontend' | 'ambiguous';

export interface Classified {
  readonly domain: Domain;
  /** The signal words that were found for each side. */
  readonly words: { readonly backend: readonly string[]; readonly frontend: readonly string[] };
}

/** The domain of a text; it is ambiguous if both sides have the same number of words, or none. */
export function classify(text: string): Classified {
  const words = { backend: hits(text, BACKEND), frontend: hits(text, FRONTEND) };
  const lead = words.backend.length - words.frontend.length;
  return { domain: lead > 0 ? 'backend' : lead < 0 ? 'frontend' : 'ambiguous', words };
}

export interface RouteRequest {
  readonly text: string;
  /** The value of `--agent`. */
  readonly flag?: string | undefined;
  /**
   * The template's agents for this worker, in order; the default agent comes after them. "codex or claude" is
   * `['codex']` (docs/specification.md R8.6).
   */
  readonly template?: readonly string[] | undefined;
  readonly type?: TaskType | undefined;
  /** `routing.byType` of the configuration. */
  readonly byType: boolean;
  readonly isAvailable: (agent: string) => boolean;
  /** The default agent's kind or name; its availability is not checked. */
  readonly defaultAgent: string;
  readonly defaultRole: Name;
}

export interface Route {
  readonly agent: string;
  readonly role: Name;
  readonly domain: Domain;
  readonly words: Classified['words'];
  readonly why: string;
}

const EXECUTOR = parseName('role', 'executor');
const DESIGNER = parseName('role', 'designer');

const ROLE_OF: Readonly<Record<Exclude<Domain, 'ambiguous'>, Name>> = { backend: EXECUTOR, frontend: DESIGNER };

/** The agent for a text by its domain; undefined if the domain is ambiguous. */
export function agentFor(text: string): AgentKind | undefined {
  const { domain } = classify(text);
  return domain === 'ambiguous' ? undefined : routedTo(domain);
}

/**
 * Precedence: flag > template > task type > domain > default. If an agent is not available, the default agent replaces
 * it.
 */
export function route(request: RouteRequest): Route {
  const { domain, words } = classify(request.text);
  const role = domain === 'ambiguous' ? request.defaultRole : ROLE_OF[domain];
  const { agent, why } = chosen(request, domain, words);
  return { agent, role, domain, words, why };
}

function chosen(request: RouteRequest, domain: Domain, words: Classified['words']): { agent: string; why: string } {
  const { flag, template, type, byType, isAvailable, defaultAgent } = request;
  if (flag !== undefined) return { agent: flag, why: 'asked for by --agent' };
  const available = template?.find(isAvailable);
  if (template)
    return available === undefined
      ? { agent: defaultAgent, why: "the template's agent is not available" }
      : { agent: available, why: 'the template says so' };
  const typed = byType ? typeRoute(type) : undefined;
  if (typed !== undefined && isAvailable(typed)) return { agent: typed, why: `${type} tasks go to ${typed}` };
  if (domain === 'ambiguous') return { agent: defaultAgent, why: tieOf(words) };
  const agent = routedTo(domain);
  const signals = `${domain}: ${words[domain].join(', ')}`;
  if (agent === undefined) return { agent: defaultAgent, why: signals };
  return isAvailable(agent)
    ? { agent, why: signals }
    : { agent: defaultAgent, why: `${signals}; ${agent} is not available` };
}

function typeRoute(type: TaskType | undefined): AgentKind | undefined {
  return type === 'review' || type === 'explore' || type === 'test' ? routedTo(type) : undefined;
}

const tieOf = ({ backend, frontend }: Classified['words']): string =>
  backend.length === 0
    ? 'no signal word names a domain'
    : `ambiguous: ${backend.join(', ')} against ${frontend.join(', ')}`;
