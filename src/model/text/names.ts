/**
 * The only check of names. A team, member or role name becomes part of a path, a lock and an agent id. So only checked
 * text has the type `Name`, and a raw string does not compile in its place.
 */
import * as z from 'zod';
import { UsageError } from './errors.ts';

/** A team, member or role name that has passed {@link parseName}. */
export type Name = string & z.$brand<'Name'>;

export type NameKind = 'team' | 'member' | 'role';

/** The lead's own name; its inbox is `lead_inbox.jsonl`. */
export const LEAD = 'lead' as Name;

const PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const LEAD_ALIASES = new Set(['lead', 'team-lead', 'coordinator', 'main']);
const RESERVED_WORDS =
  'all user system config state events templates skills roles pipelines con nul prn aux constructor prototype';
const RESERVED = new Set([
  ...LEAD_ALIASES,
  ...RESERVED_WORDS.split(' '),
  ...Array.from({ length: 10 }, (_, digit) => [`com${digit}`, `lpt${digit}`]).flat(),
]);

export const isLead = (name: string): boolean => LEAD_ALIASES.has(name);

export const isName = (text: string): text is Name => PATTERN.test(text) && !RESERVED.has(text);

/**
 * @param text a name of a team, member or role that a person or program gave
 * @returns the same text, as a name
 * @throws UsageError `BAD_NAME` for a text that does not match the pattern (docs/specification.md R1.2), and for
 * reserved words
 */
export function parseName(kind: NameKind, text: string): Name {
  if (isName(text)) return text;
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  throw new UsageError(
    'BAD_NAME',
    RESERVED.has(text)
      ? `${shown} is a reserved word; choose another ${kind} name.`
      : `${shown} is not a ${kind} name: use 1 to 64 lower-case letters, digits and inner hyphens.`,
  );
}

/** A recipient as people write it: a member's name, or any alias of the lead. */
export const parseMemberName = (text: string): Name => (isLead(text) ? LEAD : parseName('member', text));

const named = (judge: (text: string) => boolean, message: string) =>
  z.string().refine(judge, { message }).brand<'Name'>();

/** A name inside a stored record or a plan. */
export const nameSchema = named(
  isName,
  'Expected a name of 1 to 64 lower-case letters, digits and inner hyphens, not reserved',
);

/** Whether a text is a member's name, or `lead`. */
export const isMemberName = (text: string): text is Name => text === LEAD || isName(text);

/** A member's name, or `lead`. */
export const memberSchema = named(isMemberName, 'Expected a member name, or "lead"');

/** An agent id: `name@team` (docs/specification.md R1.2). */
export const agentId = (member: Name, team: Name): string => `${member}@${team}`;
