/**
 * Reads a command line in the plainest form without commander, for the verbs that agents call all the time: a verb,
 * then words and options by their long names. It gives what commander gives, or nothing.
 */
import type { Option, Verb, VerbInput } from './verb.ts';
import { COMMON } from './global-options.ts';

export interface PlainCall {
  readonly verb: Verb;
  readonly given: VerbInput;
}

interface KnownOption {
  /** In camel case, as commander makes it. */
  readonly key: string;
  readonly takes: 'nothing' | 'value' | 'values';
  /** What the option means when it takes nothing. */
  readonly means: boolean;
}

/** @returns undefined for every other form: help, short or unknown options, `--`, too many words */
export function plainCall(argv: readonly string[], verbs: readonly Verb[]): PlainCall | undefined {
  const verb = verbs.find(({ name }) => name.split(' ').every((word, at) => argv[at] === word));
  const given = verb && inputOf(argv.slice(verb.name.split(' ').length), verb);
  return verb && given && { verb, given };
}

function inputOf(argv: readonly string[], verb: Verb): VerbInput | undefined {
  const known = optionsOf(verb);
  const words: string[] = [];
  const options: Record<string, unknown> = { color: true };
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-') || word === '-') {
      words.push(word);
      continue;
    }
    const [name, joined] = split(word);
    const option = known.get(name);
    if (option === undefined) return undefined;
    if (option.takes === 'nothing') {
      if (joined !== undefined) return undefined;
      options[option.key] = option.means;
      continue;
    }
    if (joined === undefined) at += 1;
    const value = joined ?? argv[at];
    if (value === undefined || (joined === undefined && value.startsWith('-'))) return undefined;
    if (option.takes === 'value') options[option.key] = value;
    else repeated(options, option.key).push(value);
  }
  return words.length > mostWords(verb) ? undefined : { words, options };
}

function repeated(options: Record<string, unknown>, key: string): unknown[] {
  const before = options[key];
  if (Array.isArray(before)) return before;
  const values: unknown[] = [];
  options[key] = values;
  return values;
}

/** `--name=value`: the value may contain `=`. */
function split(word: string): [name: string, value?: string] {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** @returns by `--name`, without options of a form that only commander reads: short ones, and values that may be left out */
function optionsOf(verb: Verb): Map<string, KnownOption> {
  const own: readonly Option[] = verb.options ?? [];
  const known = new Map<string, KnownOption>();
  for (const { flags, many } of [...COMMON.map(([common]): Option => ({ flags: common, what: '' })), ...own]) {
    const [name = '', value] = flags.split(' ');
    if (name.endsWith(',') || value?.startsWith('[') === true) continue;
    const takes = value === undefined ? 'nothing' : many === true ? 'values' : 'value';
    const isNegative = name.startsWith('--no-');
    const key = name.slice(isNegative ? 5 : 2).replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    known.set(name, { key, takes, means: !isNegative });
  }
  return known;
}

/** All words of our verbs may be left out; only the last may be repeated. */
const mostWords = ({ words = '' }: Verb): number =>
  words.includes('...') ? Infinity : words.split(' ').filter((word) => word !== '').length;
