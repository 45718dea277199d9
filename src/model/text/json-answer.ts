/** Finds a value of a schema in a model's answer, or the reason why there is none. Never throws. */
import type * as z from 'zod';
import { check } from './document-problem.ts';

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
    const value = parsed(text);
    if (value === undefined) continue;
    const checked = check(schema, value);
    if (checked.ok) return { ok: true, value: checked.value };
    why = checked.problems.map((problem) => problem.text).join(' ');
  }
  return { ok: false, why };
}

const FENCE = /```[a-z]*[ \t]*\n([\s\S]*?)```/gi;

function jsonIn(answer: string): string[] {
  const fenced = [...answer.matchAll(FENCE)].flatMap(([, inside]) => inside ?? []).reverse();
  const [first, last] = [answer.indexOf('{'), answer.lastIndexOf('}')];
  const braced = first >= 0 && last > first ? [answer.slice(first, last + 1)] : [];
  return [answer, ...fenced, ...braced].map((text) => text.trim()).filter((text) => text.startsWith('{'));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Text that begins with a brace but is not JSON; another part of the answer may be the value.
    return undefined;
  }
}
