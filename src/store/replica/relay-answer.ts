/**
 * What a relay answers, and what the seal of a request is over: all that a process needs of the form to ask. It has no
 * schema, which would take most of the time of the first question.
 */
import type { Name } from '../../model/text/names.ts';
import { isFields, jsonOf } from '../../model/text/plain-fields.ts';
import { hashText } from '../board/results.ts';

export type RelayAnswer =
  | {
      readonly ok: true;
      /** Who has the lease that was asked for. */
      readonly owner?: string | undefined;
      /** Nothing was written, since others wrote before. */
      readonly isBehind?: boolean | undefined;
      /** What was asked for, if the store has it. */
      readonly text?: string | undefined;
    }
  | { readonly ok: false; readonly code: string; readonly why: string };

export const relayAnswer = (answer: RelayAnswer): string => JSON.stringify(answer);

/** @returns undefined for a text that is no answer */
export function relayAnswerIn(text: string): RelayAnswer | undefined {
  const value = jsonOf(text);
  if (!isFields(value)) return undefined;
  const { ok, owner, isBehind, text: said, code, why } = value;
  if (ok === false) return typeof code === 'string' && typeof why === 'string' ? { ok, code, why } : undefined;
  if (ok !== true || !isText(owner) || !isText(said)) return undefined;
  return isBehind === undefined || typeof isBehind === 'boolean' ? { ok, owner, isBehind, text: said } : undefined;
}

const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string';

/** The seal is over a longer body by its hash. */
const SHORT = 4_096;

/** What the seal of a request is over, as `canonical` writes it: the keys are in their order. */
export function sealedRequest(relay: string, team: Name, body: string): string {
  return JSON.stringify(body.length <= SHORT ? { relay, team, text: body } : { body: hashText(body), relay, team });
}
