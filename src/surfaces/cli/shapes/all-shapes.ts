/** The shapes of `--json` by verb, and their JSON Schemas for `schemas/cli/`. */
import * as z from 'zod';
import { failure, steps, type VerbShape } from './base-shapes.ts';
import { ENGINE_SHAPES } from './engine-shapes.ts';
import { MAIL_SHAPES } from './mail-shapes.ts';
import { RUN_SHAPES } from './run-shapes.ts';
import { SETUP_SHAPES } from './setup-shapes.ts';
import { subscriberLine } from './subscriber-shapes.ts';
import { TASK_SHAPES } from './task-shapes.ts';
import { TEAM_SHAPES } from './team-shapes.ts';
import { VIEW_SHAPES } from './view-shapes.ts';

export const VERB_SHAPES: Readonly<Record<string, VerbShape>> = {
  ...RUN_SHAPES,
  ...TEAM_SHAPES,
  ...MAIL_SHAPES,
  ...VIEW_SHAPES,
  ...TASK_SHAPES,
  ...SETUP_SHAPES,
  ...ENGINE_SHAPES,
};

/** The name of a verb's schema: `task-create` for `task create`. */
export const schemaName = (verb: string): string => verb.replaceAll(' ', '-');

/** Schemas by file name without its ending: one for each verb, one for a failure, one for `teams` without a verb. */
export function cliSchemas(): Record<string, object> {
  const verbs = Object.entries(VERB_SHAPES).map(([verb, { answers, lines = [] }]): [string, object] => {
    const name = schemaName(verb);
    const what = lines.length === 0 ? 'What' : answers.length === 0 ? 'A line of what' : 'What, or a line of what,';
    return [name, schemaOf(name, `${what} \`teams ${verb} --json\` prints`, [...answers, ...lines])];
  });
  return {
    ...Object.fromEntries(verbs),
    failure: schemaOf('failure', 'What any verb prints with `--json` when it fails', [failure]),
    teams: schemaOf('teams', 'What `teams --json` prints without a verb', [steps]),
  };
}

/** What a command gets that is subscribed to events. */
export const subscriberSchema = (): object => titled('subscriber', 'A line that a subscriber gets', subscriberLine);

function schemaOf(name: string, title: string, shapes: readonly z.ZodType[]): object {
  const [first] = shapes;
  return titled(`cli/${name}`, title, first !== undefined && shapes.length === 1 ? first : z.union(shapes));
}

function titled(name: string, title: string, shape: z.ZodType): object {
  const { $schema, ...body } = z.toJSONSchema(shape, { io: 'output' });
  return { $schema, $id: `urn:teams-runtime:schema:${name}`, title, ...body };
}
