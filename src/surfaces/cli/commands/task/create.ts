/** `teams task create`: adds a task through TaskCreate, with options that only the command line has. */
import * as z from 'zod';
import { createTask, parseName, UsageError, type TaskExtras, type ToolInputs } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { givenText } from '../../input/stdin.ts';
import { duration, noMore } from '../../input/options.ts';
import {
  bySchemaField,
  flagField,
  readFields,
  textField,
  textsField,
  wholeNumberField,
  type OptionsOf,
} from '../../input/plain-options.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';
import { toolInput, showTask } from './on-task.ts';

const roleSchema = z
  .string()
  .transform((name) => parseName('role', name))
  .optional();
const who = {
  owner: textField,
  role: bySchemaField(() => roleSchema),
};
const what = {
  subject: textField,
  key: textField,
  description: textField,
  activeForm: textField,
  blockedBy: textsField,
  optional: flagField,
};
const work = {
  run: textField,
  prompt: textField,
  verify: textsField,
  timeout: bySchemaField(() => duration),
  env: textsField,
  file: textsField,
  artifact: textField,
};
const fields = { ...who, ...what, ...work, retries: wholeNumberField };
type Options = OptionsOf<typeof fields>;

export const create: Act = async (context, given) => {
  const options = readFields(fields, given);
  const { handle, words } = await openTeamChoice(context, given.words, {
    needs: options.subject === undefined ? 1 : 0,
  });
  try {
    const [subject = options.subject, ...rest] = words;
    if (subject === undefined) throw new UsageError('USAGE', 'Which subject? `teams task create [TEAM] SUBJECT`.');
    noMore(options.subject === undefined ? rest : words);
    const input = await inputOf(context, subject, options);
    showTask(context, handle, await createTask(handle, input, extrasOf(options)));
    return 0;
  } finally {
    await handle[Symbol.asyncDispose]();
  }
};

async function inputOf(context: CliContext, subject: string, options: Options): Promise<ToolInputs['TaskCreate']> {
  const { activeForm, owner, blockedBy, file: files, description = '' } = options;
  const said = { subject, description: await givenText(context, description), blockedBy, files };
  return toolInput('TaskCreate', { ...said, activeForm, owner });
}

const extrasOf = ({ key, role, retries, optional, ...options }: Options): TaskExtras => ({
  required: !optional,
  work: workOf(options),
  key,
  role,
  retries,
});

type WorkOptions = Pick<Options, 'run' | 'prompt' | 'verify' | 'timeout' | 'env' | 'artifact'>;

function workOf({ run, prompt, verify, timeout, env, artifact }: WorkOptions): NonNullable<TaskExtras['work']> {
  if (run !== undefined && prompt !== undefined)
    throw new UsageError('USAGE', '--run is for a command, --prompt for an agent; use only one of them.');
  for (const [name, value] of Object.entries({ run, prompt, artifact, verify: verify.find((one) => one === '') }))
    if (value === '') throw new UsageError('USAGE', `--${name} is empty; leave it out.`);
  return {
    verify: [...verify],
    env: Object.fromEntries(env.map(variable)),
    run,
    prompt,
    timeoutMs: timeout,
    artifact,
  };
}

function variable(given: string): [string, string] {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(given) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new UsageError('USAGE', `--env: Expected NAME=VALUE, got ${JSON.stringify(given)}.`);
}
