/**
 * Parses the arguments of `teams run`: `N:role "task"`, `template "task"`, or just a task (docs/specification.md R8.1).
 * A first word that looks like a spec but is none is an error; it never becomes part of the task.
 */
import { didYouMeanOneOf } from '../text/did-you-mean.ts';
import { isName, type Name } from '../text/names.ts';
import { quoted } from '../text/document-problem.ts';

export type RunSpec =
  | { readonly kind: 'count'; readonly count: number; readonly role: Name }
  | { readonly kind: 'template'; readonly template: Name }
  /** The planner chooses the number of workers. */
  | { readonly kind: 'open' };

type RunWords =
  { readonly ok: true; readonly spec: RunSpec; readonly task: string } | { readonly ok: false; readonly why: string };

interface KnownSpecs {
  readonly roles: ReadonlySet<string>;
  readonly templates: ReadonlySet<string>;
  readonly maxAgents: number;
}

/** A number, or its word, before a colon; or a colon at the start of a word. */
const COUNT = /^(?:[+-]?\d+(?:[.,]\d+)?[a-z]?|one|two|three|four|five|n)?:(?=\S|$)/i;
const TEAM = /^[a-z0-9]+[-_]te?a?m$/i;

/** @param words as the shell gave them: the spec may be a word of its own, or the beginning of a quoted text */
export function parseRunWords(words: readonly string[], known: KnownSpecs): RunWords {
  const text = words.join(' ').trim();
  const [first = ''] = text.split(/\s/, 1);
  const rest = text.slice(first.length).trim();
  const isAlone = words[0]?.trim() === first;
  const spec = specOf(first, rest, isAlone, known);
  if (!spec.ok) return spec;
  const task = spec.spec.kind === 'open' ? text : rest;
  if (task !== '') return { ok: true, spec: spec.spec, task };
  return {
    ok: false,
    why: `No task is given; say what to do: teams run ${first === '' ? '' : `${first} `}"TASK".`,
  };
}

type Spec = { readonly ok: true; readonly spec: RunSpec } | { readonly ok: false; readonly why: string };

function specOf(first: string, rest: string, isAlone: boolean, known: KnownSpecs): Spec {
  if (isName(first) && known.templates.has(first)) return { ok: true, spec: { kind: 'template', template: first } };
  if (COUNT.test(first)) return countOf(first, known);
  const slip = isAlone ? slipIn(first, rest, known) : undefined;
  return slip === undefined ? { ok: true, spec: { kind: 'open' } } : { ok: false, why: slip };
}

function countOf(word: string, { roles, maxAgents }: KnownSpecs): Spec {
  const at = word.indexOf(':');
  const [number, role] = [word.slice(0, at), word.slice(at + 1)];
  const count = /^\d{1,9}$/.test(number) ? Number(number) : 0;
  if (count < 1 || count > maxAgents)
    return no(
      `Expected 1 to ${maxAgents} workers before the colon of ${quoted(word)}, got ${quoted(number)}; for example 3:executor`,
    );
  if (isName(role) && roles.has(role)) return { ok: true, spec: { kind: 'count', count, role } };
  if (role === '') return no(`${quoted(word)} names no role; for example ${number}:executor`);
  return { ok: false, why: `There is no role ${quoted(role)}${didYouMeanOneOf(role, roles)}` };
}

/** What a misspelt spec at the start of a task was meant to be; undefined for any other word. */
function slipIn(word: string, rest: string, { roles, templates }: KnownSpecs): string | undefined {
  const [second = ''] = rest.split(/\s/, 1);
  if (/^\d+$/.test(word) && roles.has(second)) return `Did you mean ${word}:${second}?`;
  const [, number = '', role = ''] = /^(\d+)([a-z][a-z0-9-]*)$/.exec(word) ?? [];
  if (roles.has(role)) return `Did you mean ${number}:${role}?`;
  const [left = '', right = ''] = word.split(':', 2);
  if (roles.has(left) && /^\d+$/.test(right)) return `Did you mean ${right}:${left}?`;
  const joined = [...templates].find((name) => name.replaceAll('-', '') === word.toLowerCase().replace(/[-_]/g, ''));
  if (joined === undefined && !TEAM.test(word)) return undefined;
  return `There is no template ${quoted(word)}${didYouMeanOneOf(joined ?? word.replaceAll('_', '-'), templates)}`;
}

const no = (why: string): Spec => ({ ok: false, why: `${why}.` });
