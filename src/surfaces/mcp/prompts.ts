/**
 * The prompts: tasks that a person gives to the model of a host by name. Each has the present state of the team as
 * data, so that the model begins without looking it up.
 */
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import { UsageError, type ToolContext } from '../../app.ts';
import { capped } from './answer-limit.ts';
import { beginning, mending, standUp, whyStuck, type PromptArguments } from './prompt-texts.ts';
import { matching, type CompletedValues } from './resource-uris.ts';

interface PromptFacts extends Prompt {
  readonly title: string;
  readonly description: string;
  readonly arguments: { readonly name: string; readonly description: string; readonly required: boolean }[];
  readonly isForLead: boolean;
  readonly write: (context: ToolContext, given: PromptArguments) => string | Promise<string>;
  /** The values of an argument. */
  readonly values: (context: ToolContext, argument: string) => Iterable<string>;
}

const none = (): string[] => [];

const PROMPTS: readonly PromptFacts[] = [
  {
    name: 'lead-a-team',
    title: 'Lead a team',
    description: 'Divide a goal into tasks, start teammates and lead them to the end.',
    arguments: [
      { name: 'goal', description: 'What the team must reach', required: true },
      { name: 'agent', description: 'What thinks in each teammate; by default the configured one', required: false },
    ],
    isForLead: true,
    write: beginning,
    values: ({ lead }, argument) => (argument === 'agent' ? (lead?.agentNames() ?? []) : []),
  },
  {
    name: 'stand-up',
    title: 'Stand-up',
    description: 'Who did what, who does what, and what is in the way.',
    arguments: [],
    isForLead: false,
    write: standUp,
    values: none,
  },
  {
    name: 'why-is-it-stuck',
    title: 'Why is it stuck?',
    description: 'Find what the team, a member or a task waits for, and who must act.',
    arguments: [{ name: 'subject', description: 'A member or a task; by default the whole team', required: false }],
    isForLead: false,
    write: whyStuck,
    values: ({ team }) => {
      const board = team?.store.board.fold();
      return board === undefined ? [] : [...board.members.keys(), ...board.tasks.keys()];
    },
  },
  {
    name: 'mend-a-red-run',
    title: 'Mend a red run',
    description: 'Find the causes of what failed, and get the run to its end.',
    arguments: [{ name: 'task', description: 'The id of a failed task; by default all failures', required: false }],
    isForLead: false,
    write: mending,
    values: ({ team }) =>
      [...(team?.store.board.fold().tasks.values() ?? [])].flatMap(({ id, status }) =>
        status === 'failed' ? [id] : [],
      ),
  },
];

const offered = ({ side }: ToolContext): PromptFacts[] =>
  PROMPTS.filter(({ isForLead }) => side === 'lead' || !isForLead);

export const listPrompts = (context: ToolContext): Prompt[] =>
  offered(context).map(({ name, title, description, arguments: wanted }) => ({
    name,
    title,
    description,
    arguments: wanted,
  }));

/**
 * @returns undefined for a prompt that is not offered
 * @throws UsageError for arguments that are missing, unknown or name nothing
 */
export async function promptNamed(
  context: ToolContext,
  name: string,
  given: PromptArguments = {},
): Promise<GetPromptResult | undefined> {
  const prompt = offered(context).find((one) => one.name === name);
  if (prompt === undefined) return undefined;
  const unknown = Object.keys(given).find((key) => !prompt.arguments.some((one) => one.name === key));
  if (unknown !== undefined) throw new UsageError('USAGE', `The prompt ${name} has no argument ${unknown}.`);
  const missing = prompt.arguments.find((one) => one.required && (given[one.name] ?? '').trim() === '');
  if (missing !== undefined) throw new UsageError('USAGE', `The prompt ${name} needs the argument ${missing.name}.`);
  const text = capped(await prompt.write(context, given));
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

/** @returns undefined for a prompt that is not offered */
export function completedArgument(
  context: ToolContext,
  name: string,
  { name: argument, value }: { readonly name: string; readonly value: string },
): CompletedValues | undefined {
  const prompt = offered(context).find((one) => one.name === name);
  return prompt && matching(prompt.values(context, argument), value);
}
