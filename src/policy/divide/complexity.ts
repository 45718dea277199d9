/**
 * How complex a task is, and so which model tier it gets (docs/specification.md R8.7). Each signal counts once; a score
 * below 4 is haiku, 4 to 7 sonnet, 8 or more opus.
 */
import { TIERS, type Tier } from '../../model/agent/agent.ts';
import {
  ARCHITECTURE,
  CROSS_FILE,
  DEBUG,
  hits,
  IRREVERSIBLE,
  REFACTOR,
  RISK,
  SECURITY,
  SYSTEM_WIDE,
  TESTS,
  WHY,
} from './signals.ts';
import { classify } from './routing.ts';

interface ComplexitySignal {
  readonly name: string;
  readonly weight: number;
  /** The words of the text that gave this signal. */
  readonly words: readonly string[];
}

interface Complexity {
  readonly tier: Tier;
  readonly score: number;
  readonly signals: readonly ComplexitySignal[];
  /** `risk +2 (auth), cross-file +2 (auth)`; `straightforward` without any. */
  readonly why: string;
}

const SONNET_FROM = 4;
const OPUS_FROM = 8;
const LONG_WORDS = 100;
const VERY_LONG_WORDS = 200;
const MANY_SUBTASKS = 3;
const VERY_MANY_SUBTASKS = 6;

/** Words → weight. Security words count twice: as a risk and as cross-file (docs/specification.md R8.7). */
const BY_WORDS: readonly { name: string; weight: number; words: readonly string[] }[] = [
  { name: 'architecture', weight: 3, words: ARCHITECTURE },
  { name: 'debug', weight: 2, words: DEBUG },
  { name: 'risk', weight: 2, words: [...SECURITY, ...RISK] },
  { name: 'refactor', weight: 2, words: REFACTOR },
  { name: 'why', weight: 2, words: WHY },
  { name: 'cross-file', weight: 2, words: [...CROSS_FILE, ...SECURITY] },
  { name: 'tests', weight: 1, words: TESTS },
  { name: 'system-wide', weight: 3, words: SYSTEM_WIDE },
  { name: 'irreversible', weight: 1, words: IRREVERSIBLE },
];

export function complexityOf(text: string): Complexity {
  const signals = [
    ...BY_WORDS.map(({ name, weight, words }) => signal(name, weight, hits(text, words))),
    ...shape(text),
    domains(text),
  ].filter(({ weight }) => weight > 0);
  const score = signals.reduce((sum, { weight }) => sum + weight, 0);
  const why = signals.map(({ name, weight, words }) => `${name} +${weight} (${words.join(', ')})`).join(', ');
  return { tier: tierOf(score), score, signals, why: why === '' ? 'straightforward' : why };
}

export const tierOf = (score: number): Tier => TIERS[score < SONNET_FROM ? 0 : score < OPUS_FROM ? 1 : 2];

const signal = (name: string, weight: number, words: readonly string[]): ComplexitySignal => ({
  name,
  weight: words.length > 0 ? weight : 0,
  words,
});

/** Signals of the text's form: its length, code blocks and number of points. */
function shape(text: string): ComplexitySignal[] {
  const length = text.split(/\s+/).filter((word) => word !== '').length;
  const subtasks = text.match(/^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\S/gm)?.length ?? 0;
  return [
    signal('long text', length >= VERY_LONG_WORDS ? 2 : 1, length >= LONG_WORDS ? [`${length} words`] : []),
    signal('code', 1, text.includes('```') ? ['code block'] : []),
    signal('subtasks', subtasks >= VERY_MANY_SUBTASKS ? 4 : 3, subtasks >= MANY_SUBTASKS ? [`${subtasks} points`] : []),
  ];
}

/** Two distinct words of each domain make it a task of both domains; three of each, a large one. */
function domains(text: string): ComplexitySignal {
  const { backend, frontend } = classify(text).words;
  const both = Math.min(backend.length, frontend.length);
  return signal('multi-domain', both >= 3 ? 3 : 2, both >= 2 ? [...backend, ...frontend] : []);
}

/**
 * Tier precedence (docs/specification.md R8.7): flag or plan > cascade rule > template > score > the configured
 * default.
 */
export const chooseTier = (
  asked: { flag?: Tier; cascade?: Tier; template?: Tier; text?: string },
  defaultTier: Tier,
): Tier =>
  asked.flag ??
  asked.cascade ??
  asked.template ??
  (asked.text === undefined ? defaultTier : complexityOf(asked.text).tier);
