/**
 * What a program asks over the Agent Client Protocol before it uses a tool, and what it is answered. Pure. A person allows
 * what is read here, so it is the whole call.
 */
import { defined } from '../../model/text/defined.ts';
import { TOOL_NAMES } from '../../model/team/tool.ts';
import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import * as z from 'zod';
import type { AccessKind, CallAnswer } from '../agent-contract.ts';
import { wordsOf } from './acp-updates.ts';
import type { PermissionAskedEvent } from './agent-step.ts';

type Kind = NonNullable<ToolCallUpdate['kind']>;

const EFFECTS: Readonly<Record<Kind, AccessKind>> = {
  read: 'reads',
  search: 'reads',
  think: 'reads',
  edit: 'writes',
  delete: 'writes',
  move: 'writes',
  execute: 'runs',
  fetch: 'reaches',
  switch_mode: 'unknown',
  other: 'unknown',
};

/** Characters of a title in the name of a tool. */
const LINE = 200;

/**
 * Whether it is a tool of our own server: the member has permission for it already. Of a command or an edit the title is
 * what the model wrote, so only a whole title counts, and only of a tool that the program itself says is of no kind.
 */
const isOurs = ({ title, name, kind }: ToolCallUpdate): boolean =>
  (kind ?? 'other') === 'other' && [title, name].some((word) => OUR_TOOL.test(word ?? ''));

const NAMES = TOOL_NAMES.join('|');
const OUR_TOOL = new RegExp(`^(?:(?:mcp__)?team__?(?:${NAMES})|(?:${NAMES}) \\(team MCP Server\\))$`);

/** @returns undefined for what needs no permission */
export function askIn({ toolCall }: RequestPermissionRequest): Omit<PermissionAskedEvent, 'type'> | undefined {
  const { kind, title, name, locations, content, rawInput } = toolCall;
  if (isOurs(toolCall)) return undefined;
  const edited = (content ?? []).flatMap((one) => (one.type === 'diff' ? [one.path] : []));
  const paths = [
    ...new Set([...(locations ?? []).map(({ path }) => path), ...edited, ...Object.values(pathsOf(rawInput))]),
  ];
  const effect = EFFECTS[kind ?? 'other'];
  // A kind that says nothing covers every tool of a program: there, the tool is what the program calls it.
  const words = effect === 'unknown' ? (name ?? title ?? '') : (title ?? '').slice(0, LINE);
  return { tool: `${kind ?? 'other'} ${words}`.trim(), effect, paths, input: inputOf(toolCall) };
}

/** The whole call, as a person reads it: its command or title, its differences, and all else that is in its input. */
function inputOf({ title, name, rawInput, content }: ToolCallUpdate): string {
  const given = recordSchema.safeParse(rawInput).data;
  const command = typeof given?.['command'] === 'string' ? given['command'] : undefined;
  const diffs = (content ?? []).filter((one) => one.type === 'diff');
  const shown = new Set<unknown>(diffs.flatMap(({ oldText, newText }) => [oldText, newText]));
  const { command: _, description, ...others } = given ?? {};
  const isWording = command !== undefined && typeof description === 'string';
  const whole = { ...(command === undefined ? given : others), ...(isWording ? {} : { description }) };
  const inPaths = pathsOf(rawInput);
  const rest = Object.entries(whole).filter(
    ([key, value]) => value !== undefined && !(key in inPaths) && !shown.has(value),
  );
  return [
    ...new Set([
      ...[title, name, command].flatMap((word) => word ?? []),
      ...diffs.map(({ path, oldText, newText }) => `${path}\n${oldText ?? ''}\n→\n${newText}`),
      ...(content ?? []).flatMap((one) => (one.type === 'content' ? [wordsOf(one.content)] : [])),
      ...(rest.length > 0 ? [JSON.stringify(Object.fromEntries(rest))] : []),
      ...(given === undefined && rawInput !== undefined && rawInput !== null ? [JSON.stringify(rawInput)] : []),
    ]),
  ].join('\n');
}

const recordSchema = z.record(z.string(), z.unknown());

const path = z.string().optional().catch(undefined);
const pathsSchema = z.object({ filePath: path, file_path: path, path });

/** The paths in a call's input, by their key. */
const pathsOf = (rawInput: unknown): Readonly<Record<string, string>> =>
  defined(pathsSchema.safeParse(rawInput).data ?? {});

/** Why a call is refused without asking whether it is permitted: a "yes" to it would be one to all calls that follow. */
export const NO_SINGLE_CALL =
  'The program offers no way to allow one call only, so nothing is allowed to it; choose another mode of the program, or another agent.';

export const offersSingleCall = ({ options }: RequestPermissionRequest): boolean =>
  options.some(({ kind }) => kind === 'allow_once');

/** Chooses by the option's kind: each agent has its own ids. What is allowed is one call, so that the agent asks again. */
export function chosen(options: readonly PermissionOption[], answer: CallAnswer): RequestPermissionResponse {
  const find = (kind: PermissionOption['kind']) => options.find((one) => one.kind === kind);
  const once = answer.ok ? find('allow_once') : undefined;
  const option = once ?? find('reject_once') ?? find('reject_always');
  return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } };
}
