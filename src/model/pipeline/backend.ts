/**
 * The backends of `refine` and `relay` (docs/specification.md R9.1): the values of `--backend`, and the agents that
 * they mean.
 */
import { findAgent, parseAgentFlag, type AgentSpec } from '../agent/agent.ts';
import { rankedBy } from '../agent/agent-kinds.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { UsageError } from '../text/errors.ts';
import { parseName, type Name } from '../text/names.ts';
import { quoted } from '../text/document-problem.ts';
import { slug } from '../text/slug.ts';

export interface Backend {
  /** Unique in one run; its worker has this name. */
  readonly name: Name;
  /** The value that the person gave: `codex`, `exec:npm test`. */
  readonly label: string;
  readonly agent: AgentSpec;
}

/** The requested backends, before their availability is checked. */
export interface AskedBackends {
  /** `one`: that backend or none. `both`: the available ones of codex and gemini. `all`: all available ones. */
  readonly mode: 'one' | 'both' | 'all';
  readonly backends: readonly Backend[];
}

const KINDS = rankedBy('backendRank');
export const BACKEND_WORDS = [...KINDS, 'both', 'all', 'exec:CMD'];
/** Those of `--to`. */
export const SINGLE_BACKEND_WORDS = [...KINDS, 'exec:CMD'];
const [DEFAULT_BACKEND = 'exec:CMD'] = KINDS;

type Agents = ReadonlyMap<string, AgentSpec>;

/**
 * @param given each value of `--backend`; none means codex
 * @param configured agents with a configured name
 * @throws UsageError `USAGE` with the valid values
 */
export function parseBackends(given: readonly string[], configured: Agents = new Map()): AskedBackends {
  const words = given.length === 0 ? [DEFAULT_BACKEND] : given.map((word) => word.trim());
  const [only] = words;
  if (words.length === 1 && only === 'both') return { mode: 'both', backends: named(['codex', 'gemini'], configured) };
  if (words.length === 1 && only === 'all') return { mode: 'all', backends: named(KINDS, configured) };
  const unknown = words.find((word) => !isBackend(word, configured));
  if (unknown !== undefined) throw unknownBackend(unknown, configured);
  const twice = words.find((word, at) => words.indexOf(word) !== at);
  if (twice !== undefined) throw new UsageError('USAGE', `--backend ${quoted(twice)} is given twice.`);
  return { mode: words.length === 1 ? 'one' : 'both', backends: named(words, configured) };
}

/**
 * @param given the value of `--to`
 * @throws UsageError `USAGE` with the valid values
 */
export function parseBackend(given: string, configured: Agents = new Map()): AskedBackends {
  const word = given.trim();
  const known = [...SINGLE_BACKEND_WORDS, ...configured.keys()];
  if (isBackend(word, configured)) return { mode: 'one', backends: named([word], configured) };
  const isSeveral = word === 'both' || word === 'all';
  const why = isSeveral ? `Expected one backend, and ${word} names several.` : unknownText(word, known);
  throw new UsageError('USAGE', `--to: ${why} ${validText(known)}`);
}

const isBackend = (word: string, configured: Agents): boolean =>
  KINDS.some((kind) => kind === word) || configured.has(word) || (word.startsWith('exec:') && word.length > 5);

function unknownBackend(word: string, configured: Agents): UsageError {
  const known = [...BACKEND_WORDS, ...configured.keys()];
  const why = unknownText(word, known);
  const among = word === 'both' || word === 'all' ? `${why.slice(0, -1)} among several: give it alone.` : why;
  return new UsageError('USAGE', `--backend: ${among} ${validText(known)}`);
}

const unknownText = (word: string, known: readonly string[]): string =>
  word === '' ? 'Expected a backend, got nothing.' : `Unknown backend ${quoted(word)}${didYouMean(word, known)}`;

const validText = (known: readonly string[]): string => `Valid are ${[...new Set(known)].join(', ')}.`;

/** Gives each backend a unique name: a second `exec` is `exec-2`. */
function named(words: readonly string[], configured: Agents): Backend[] {
  const taken = new Set<string>();
  return words.map((label) => {
    const agent = findAgent(label, configured) ?? parseAgentFlag(label, configured);
    const base = label.startsWith('exec:') ? parseName('member', 'exec') : slug(label, parseName('member', 'backend'));
    const name = free(base, taken);
    taken.add(name);
    return { name, label, agent };
  });
}

function free(base: Name, taken: ReadonlySet<string>): Name {
  if (!taken.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const next = `${base}-${number}`;
    if (!taken.has(next)) return parseName('member', next);
  }
}
