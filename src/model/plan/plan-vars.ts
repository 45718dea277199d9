/**
 * `--var name=value`: replaces `{{name}}` in any value of a plan, after the file was read, so that a value cannot
 * change structure or positions. `$VAR` and `${VAR}` belong to the shell and are not touched.
 *
 * Without variables a plan is not changed, even if a shell text contains `{{`. With one, every `{{name}}` must be known
 * and every variable used. Values are not replaced again: `--var name='{{name}}'` keeps a text.
 */
import { didYouMean } from '../text/did-you-mean.ts';
import { quoted, type Path, type DocumentProblem } from '../text/document-problem.ts';
import { TYPED_KEYS } from './plan-schema.ts';
import type { ReadScalar } from '../text/yaml-walk.ts';

const PLACEHOLDER = /\{\{ ?([A-Za-z_][A-Za-z0-9_-]{0,63}) ?\}\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

interface Variables {
  /** Reads a scalar of a plan: its source text with the variables replaced, or its value under a typed key. */
  readonly readScalar: ReadScalar;
  /** Problems of the variables; complete after the whole plan was read. */
  problems(): DocumentProblem[];
}

export function variables(given: Readonly<Record<string, string>>): Variables {
  const values = new Map(Object.entries(given));
  const used = new Set<string>();
  const unknown: DocumentProblem[] = [];

  const substitute = (text: string, path: Path): string =>
    values.size === 0
      ? text
      : text.replace(PLACEHOLDER, (placeholder, name: string) => {
          used.add(name);
          const value = values.get(name);
          if (value === undefined)
            unknown.push({ path: [...path], text: `No --var gives ${placeholder}${didYouMean(name, values.keys())}` });
          return value ?? placeholder;
        });

  return {
    readScalar: (value, written, path) => {
      if (value === null) return null;
      const before = typeof value === 'string' ? value : written;
      const text = substitute(before, path);
      if (!isTyped(path)) return text;
      return text === before ? value : retyped(text);
    },
    problems: () => [...unknown, ...[...values.keys()].flatMap((name) => misfit(name, used))],
  };
}

function misfit(name: string, used: ReadonlySet<string>): DocumentProblem[] {
  if (!NAME.test(name))
    return [{ path: [], text: `--var ${quoted(name)} is not a name of letters, digits, "_" and "-".` }];
  if (used.has(name)) return [];
  return [{ path: [], text: `--var ${name} is not used: this plan has no {{${name}}}${didYouMean(name, used)}` }];
}

/** Under `env` every value is text, whatever the variable's name. */
function isTyped(path: Path): boolean {
  const rule = path.find((key) => key === 'env' || TYPED_KEYS.has(key));
  return rule !== undefined && rule !== 'env';
}

/** The value of a variable's text under a typed key. */
function retyped(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(text) ? Number(text) : text;
}
