/**
 * A role as a Markdown file with front matter. One format has two uses. The body of a forge role is its prompt
 * (docs/specification.md R8.2); a pipeline role has a prefix and a body with Phases 2 to 4 (docs/specification.md
 * R10.1). An unknown key is a warning, a wrong value an error, both with file, line and column. {@link prefixProblems}
 * checks several roles together.
 */
import * as z from 'zod';
import { tierSchema, type Tier } from '../agent/agent.ts';
import { UsageError } from '../text/errors.ts';
import { readFrontMatter } from '../text/front-matter.ts';
import type { Name } from '../text/names.ts';
import { check, closed, MAX_PROBLEMS, type DocumentProblem } from '../text/document-problem.ts';
import type { SourceValue } from '../text/yaml-source.ts';

export const SUBAGENT_KINDS = ['discuss', 'explore', 'doc-gen'] as const;
export type SubagentKind = (typeof SUBAGENT_KINDS)[number];

/** Perspectives of a critique; `policy/pipeline/subagent-choice.ts` chooses the agent for each. */
export const PERSPECTIVES = ['product', 'technical', 'quality', 'risk', 'coverage'] as const;
export type Perspective = (typeof PERSPECTIVES)[number];

const words = <T extends z.ZodType>(schema: T) => z.array(schema).max(100).default([]);
const word = z.string().min(1).max(200);

const prefixSchema = z
  .string()
  .regex(/^[A-Z][A-Z0-9]*(?:-[A-Z][A-Z0-9]*)*$/, 'Expected a prefix of capital letters, digits and inner hyphens.')
  .max(64);

const roundSchema = z
  .string()
  .regex(/^[A-Z][A-Z0-9-]*-[0-9]{3}$/, 'Expected the id of a round: DISCUSS-001.')
  .max(64);

/** Whether a text is the id of a round: it names a file. */
export const isRound = (text: string): boolean => roundSchema.safeParse(text).success;

/** A message type of the bus: `draft_ready`. */
const messageTypeSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/, 'Expected a message type of lower-case letters, digits and "_".')
  .max(64);

const headSchema = closed({
  description: z.string().max(1_000).default(''),
  prefix: prefixSchema.optional(),
  additional_prefixes: words(prefixSchema),
  /** The role does all tasks of its prefixes in one process. */
  inner_loop: z.boolean().default(false),
  discuss_rounds: words(roundSchema),
  perspectives: words(z.enum(PERSPECTIVES)),
  subagents: words(z.enum(SUBAGENT_KINDS)),
  message_types: closed({
    success: messageTypeSchema.default('task_completed'),
    error: messageTypeSchema.default('error'),
    fix: messageTypeSchema.optional(),
  }).prefault({}),
  /** When an artifact counts as complete, besides being newer than its task and not empty. */
  artifact_check: closed({ contains: words(word), json: z.boolean().default(false) }).prefault({}),
  read_only: z.boolean().default(false),
  tier: tierSchema.optional(),
  capabilities: words(word),
});
type Head = z.infer<typeof headSchema>;

export type ArtifactCheck = Head['artifact_check'];
export type MessageTypes = Head['message_types'];
export type RolePhase = 2 | 3 | 4;

export interface RoleSpec {
  readonly name: Name;
  /** The file's path, for errors. */
  readonly file: string;
  readonly description: string;
  /** The prefixes of its pipeline tasks, its own prefix first; empty for a role that no pipeline can use. */
  readonly prefixes: readonly string[];
  readonly innerLoop: boolean;
  readonly discussRounds: readonly string[];
  /** Perspectives of its discuss rounds; empty: all. */
  readonly perspectives: readonly Perspective[];
  readonly subagents: readonly SubagentKind[];
  readonly messageTypes: MessageTypes;
  readonly artifactCheck: ArtifactCheck;
  readonly readOnly: boolean;
  readonly tier?: Tier | undefined;
  readonly capabilities: readonly string[];
  /** The text before the phases. For a role without phases it is the whole prompt. */
  readonly prompt: string;
  /** The phases of a pipeline role, in order; each is one turn. */
  readonly phases: readonly { readonly phase: RolePhase; readonly title: string; readonly text: string }[];
}

export interface ReadRole {
  readonly role: RoleSpec;
  /** One line each, `file:line:column: sentence`. */
  readonly warnings: readonly string[];
}

/** @throws UsageError `ROLE_INVALID` that lists every problem, each in a line `file:line:column: sentence` */
export function parseRoleSpec(name: Name, { text, file }: { text: string; file: string }): ReadRole {
  const { head, body } = readFrontMatter(text, file);
  if (head.problems.length > 0)
    throw invalid(head.problems.map(({ line, col, text: why }) => `${file}:${line}:${col}: ${why}`));
  const at = placed(file, head);
  const first = check(headSchema, head.value ?? {});
  const unknown = first.ok ? [] : first.problems.filter(isUnknownKey);
  const checked = first.ok ? first : check(headSchema, without(head.value, unknown));
  const problems = [
    ...(checked.ok ? [] : checked.problems),
    ...(body === '' ? [{ path: [], text: 'A role needs a body: what it is and how it works.' }] : []),
  ];
  if (!checked.ok || problems.length > 0) throw invalid(problems.slice(0, MAX_PROBLEMS).map(at));
  return { role: roleOf(name, file, checked.value, body), warnings: unknown.map(at) };
}

function roleOf(name: Name, file: string, head: Head, body: string): RoleSpec {
  const { prefix, additional_prefixes, inner_loop, discuss_rounds, message_types, artifact_check, ...rest } = head;
  const { read_only, tier, description, perspectives, subagents, capabilities } = rest;
  return {
    name,
    file,
    description,
    perspectives,
    subagents,
    capabilities,
    ...sections(body),
    prefixes: prefix === undefined ? [] : [prefix, ...additional_prefixes],
    innerLoop: inner_loop,
    discussRounds: discuss_rounds,
    messageTypes: message_types,
    artifactCheck: artifact_check,
    readOnly: read_only,
    tier,
  };
}

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^#{1,3}\s+Phase\s+([234])\b[\s:.–—-]*(.*)$/;

/** Splits a body at its `## Phase N: title` lines, ignoring fenced code. */
function sections(body: string): Pick<RoleSpec, 'prompt' | 'phases'> {
  const parts: { phase: RolePhase | undefined; title: string; lines: string[] }[] = [
    { phase: undefined, title: '', lines: [] },
  ];
  let isFenced = false;
  for (const line of body.split(/\r?\n/)) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const [, number, title = ''] = isFenced ? [] : (HEADING.exec(line) ?? []);
    if (number === undefined) parts.at(-1)?.lines.push(line);
    else parts.push({ phase: number === '2' ? 2 : number === '3' ? 3 : 4, title: title.trim(), lines: [] });
  }
  const [intro, ...rest] = parts.map(({ lines, ...part }) => ({ ...part, text: lines.join('\n').trim() }));
  const phases = rest.flatMap(({ phase, title, text }) => (phase === undefined ? [] : [{ phase, title, text }]));
  return { prompt: intro?.text ?? '', phases: phases.sort((a, b) => a.phase - b.phase) };
}

/**
 * Why roles cannot work in one pipeline: a role without a prefix, a prefix of two roles, a role without a phase.
 *
 * @returns one line each, with the role's file
 */
export function prefixProblems(roles: readonly RoleSpec[]): string[] {
  const owners = new Map<string, RoleSpec>();
  return roles.flatMap((role) => {
    const { name, file, prefixes, phases } = role;
    if (prefixes.length === 0)
      return [
        `${file}:1: The role ${name} has no "prefix", and a pipeline uses it; add for example \`prefix: DRAFT\`.`,
      ];
    if (phases.length === 0)
      return [`${file}:1: The role ${name} has no phase, and a pipeline uses it; add \`## Phase 3: …\`.`];
    return prefixes.flatMap((prefix) => {
      const other = owners.get(prefix);
      owners.set(prefix, role);
      return other === undefined
        ? []
        : [`${file}:1: The prefix ${prefix} is declared by ${other.name} and by ${name}; one of them needs another.`];
    });
  });
}

const isUnknownKey = ({ atKey }: DocumentProblem): boolean => atKey === true;

function without(value: unknown, problems: readonly DocumentProblem[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const own = problems.filter(({ path }) => path[0] === key);
    if (own.some(({ path }) => path.length === 1)) return [];
    const deeper = own.map((problem) => ({ ...problem, path: problem.path.slice(1) }));
    return [[key, deeper.length === 0 ? inner : without(inner, deeper)]];
  });
  return Object.fromEntries(kept);
}

const placed =
  (file: string, head: SourceValue) =>
  (problem: DocumentProblem): string => {
    const { line, col } = head.locate(problem);
    return `${file}:${line}:${col}: ${problem.text}`;
  };

const invalid = (lines: readonly string[]): UsageError => new UsageError('ROLE_INVALID', lines.join('\n'));
