/** Finds a value of a schema in a model's answer, or the reason why there is none. Never throws. */
import type * as z from 'zod';
import { check, type DocumentProblem } from './document-problem.ts';
import { jsonOf, type DocumentForm } from './plain-fields.ts';

export type JsonAnswer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/**
 * Tries the whole answer, then fenced blocks from the last to the first, then the text between the first and the last
 * brace.
 *
 * @param schema of an object
 */
export function jsonAnswer<T>(schema: z.ZodType<T>, answer: string): JsonAnswer<T> {
  let why = 'it contains no JSON object';
  for (const text of jsonIn(answer)) {
    const value = jsonOf(text);
    if (value === undefined) continue;
    const checked = check(schema, value);
    if (checked.ok) return { ok: true, value: checked.value };
    why = checked.problems.map(located).join(' ');
  }
  return { ok: false, why };
}

/** As {@link jsonAnswer}, for a text that our own program wrote. */
export function ownJson<T>({ schema, plain }: DocumentForm<T>, text: string): JsonAnswer<T> {
  const read = plain?.(jsonOf(text));
  return read === undefined ? jsonAnswer(schema(), text) : { ok: true, value: read };
}

/** The sentence, with the place of its value: `subtasks[1]: "acceptance" is missing.` */
function located({ path, text }: DocumentProblem): string {
  // The sentence names a key itself, but not which entry of a list.
  const named = typeof path.at(-1) === 'number' ? path : path.slice(0, -1);
  const place = named.reduce<string>((before, key) => {
    if (typeof key === 'number') return `${before}[${key}]`;
    return before === '' ? String(key) : `${before}.${String(key)}`;
  }, '');
  return place === '' ? text : `${place}: ${text}`;
}

const FENCE = /```[a-z]*[ \t]*\n([\s\S]*?)```/gi;

/** Lazily: most answers are JSON as they stand. */
function* jsonIn(answer: string): Generator<string> {
  const whole = answer.trim();
  if (whole.startsWith('{')) yield whole;
  const fenced = [...answer.matchAll(FENCE)].flatMap(([, inside]) => inside ?? []).reverse();
  const [first, last] = [answer.indexOf('{'), answer.lastIndexOf('}')];
  const braced = first >= 0 && last > first ? [answer.slice(first, last + 1)] : [];
  yield* [...fenced, ...braced].map((text) => text.trim()).filter((text) => text.startsWith('{'));
}
