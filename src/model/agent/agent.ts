/**
 * An agent as data, from a plan, the configuration or the command line. Functions never cross a process; an `AgentSpec`
 * does. The folder `agents/` drives each kind.
 */
import * as z from 'zod';
import { AGENT_KINDS, isAgentKind } from './agent-kinds.ts';
import { defined } from '../text/defined.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { UsageError } from '../text/errors.ts';
import { check, closed, quoted } from '../text/document-problem.ts';
import { jsonOf } from '../text/plain-fields.ts';

export const agentKindSchema = z.enum(AGENT_KINDS);

export const TIERS = ['haiku', 'sonnet', 'opus'] as const;
export const tierSchema = z.enum(TIERS);
export type Tier = z.infer<typeof tierSchema>;

/** What a member may do to files. */
export const SANDBOXES = ['read-only', 'workspace-write', 'full'] as const;
export const sandboxSchema = z.enum(SANDBOXES);
export type Sandbox = z.infer<typeof sandboxSchema>;

/** Why a turn failed, classified the same for every kind. */
export const FAILURE_CLASSES = [
  'rate_limited',
  'timeout',
  'overflow',
  'unauthorised',
  'not_installed',
  'crashed',
  'bad_output',
  'refused',
] as const;
export const failureClassSchema = z.enum(FAILURE_CLASSES);
export type FailureClass = z.infer<typeof failureClassSchema>;

const PROCESS_TEXT = 65_536;
const isWithoutNul = (text: string): boolean => !text.includes('\0');
/** Text for an argument or a variable of a process, which cannot contain NUL. */
export const processText = z.string().max(PROCESS_TEXT).refine(isWithoutNul, 'Expected a text without NUL characters.');
export const isProcessText = (text: string): boolean => text.length <= PROCESS_TEXT && isWithoutNul(text);

/** A command that a person wrote: a text for `/bin/sh -c`, or an argv. */
export const commandSchema = z.union([processText.min(1), z.array(processText).min(1).max(1_000)]);
export type Command = z.infer<typeof commandSchema>;

/** The argv of a command. A text goes to the shell unchanged, so it must contain only what its user wrote. */
export const argvOf = (command: Command): string[] =>
  typeof command === 'string' ? ['/bin/sh', '-c', command] : command;

/** A command for people to read: a shell text as it is, an argv with blanks between. */
export const shellWords = (command: Command): string => (typeof command === 'string' ? command : command.join(' '));

/** A command as the value of an environment variable: its argv as JSON. */
export const commandText = (command: Command): string => JSON.stringify(argvOf(command));

/** The command in a variable's value (see `commandText`); undefined if the value is not a command. */
export const commandFrom = (text: string): Command | undefined => commandSchema.safeParse(jsonOf(text)).data;

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;
export const isEnvName = (text: string): boolean => ENV_NAME.test(text);
export const envNameSchema = z
  .string()
  .regex(ENV_NAME, 'Expected the name of an environment variable: letters, digits and "_".');

/** Environment variables by name; stored in clear, so they must not contain keys. */
export const envSchema = z.record(
  envNameSchema,
  z.union([processText, z.number(), z.boolean()]).transform((value) => String(value)),
);

const MODEL_NAME = 200;
const isArgument = (text: string): boolean => !text.startsWith('-') && isWithoutNul(text);
export const isModelName = (text: string): boolean => text !== '' && text.length <= MODEL_NAME && isArgument(text);

export const agentSpecSchema = closed({
  kind: agentKindSchema,
  /** The vendor's own model name; it is an argv entry, where a leading hyphen would be an option. */
  model: z
    .string()
    .min(1)
    .max(MODEL_NAME)
    .refine(isArgument, 'Expected a model name, which begins with no hyphen.')
    .optional(),
  tier: tierSchema.optional(),
  /** The argv that replaces the program; for `exec` also a text for `/bin/sh -c`, which runs once for each task. */
  command: commandSchema.optional(),
  /** Appended to the argv. */
  args: z.array(processText).max(1_000).optional(),
  env: envSchema.optional(),
  baseUrl: z.url({ protocol: /^https?$/, error: 'Expected "baseUrl" to be an http or https address.' }).optional(),
  /** On a graceful request to stop: `ask` gives it a short turn in which it may refuse. */
  shutdown: z.enum(['accept', 'ask']).optional(),
  /** Further options by kind, under that program's own names. */
  options: z.record(z.string(), z.json()).optional(),
}).transform(({ command, ...spec }, context) => {
  if (typeof command === 'string' && spec.kind !== 'exec') {
    const message = 'Expected "command" to be a list, the argv that replaces the program; only exec takes a text.';
    context.addIssue({ code: 'custom', path: ['command'], message });
  }
  return { ...spec, ...defined({ command: command === undefined ? undefined : argvOf(command) }) };
});
export type AgentSpec = z.infer<typeof agentSpecSchema>;

/** An agent that runs one command for each task; the task's text is on its stdin. */
export const execAgent = (command: Command): AgentSpec => ({ kind: 'exec', command: argvOf(command) });

/** In place of an agent's name: the first available agent of the configuration's `fallback`. */
export const AUTO = 'auto';

/** The agent of a name: a configured agent first, so that a kind can be configured under its own name; else a kind. */
export function findAgent(name: string, configured: ReadonlyMap<string, AgentSpec>): AgentSpec | undefined {
  return configured.get(name) ?? (isAgentKind(name) ? { kind: name } : undefined);
}

/** The beginning of a message about an unknown agent. */
export const unknownAgent = (name: string, configured: ReadonlyMap<string, AgentSpec>): string =>
  `Unknown agent ${quoted(name)}${didYouMean(name, [...configured.keys(), ...AGENT_KINDS])}`;

/**
 * @param text the value of `--agent`: a kind, a configured name, `exec:COMMAND`, or an AgentSpec as JSON
 * @throws UsageError `USAGE` for everything else
 */
export function parseAgentFlag(text: string, configured: ReadonlyMap<string, AgentSpec> = new Map()): AgentSpec {
  const wanted = text.trim();
  if (wanted.startsWith('{')) return parseAgentJson(wanted);
  const found = findAgent(wanted, configured);
  if (found) return found;
  const command = wanted.startsWith('exec:') ? wanted.slice('exec:'.length).trim() : '';
  if (command !== '') return parseAgentJson(JSON.stringify({ kind: 'exec', command }));
  const known = [...new Set([...configured.keys(), ...AGENT_KINDS])].join(', ');
  throw new UsageError('USAGE', `${unknownAgent(wanted, configured)} Known are ${known}, exec:COMMAND and JSON.`);
}

function parseAgentJson(text: string): AgentSpec {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UsageError('USAGE', `The agent ${quoted(text)} begins like JSON but cannot be read as JSON.`, { cause });
  }
  const checked = check(agentSpecSchema, value);
  if (checked.ok) return checked.value;
  const problems = checked.problems.map((problem) => problem.text).join(' ');
  throw new UsageError('USAGE', `The agent ${quoted(text)} is not valid: ${problems}`);
}
