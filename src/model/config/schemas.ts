/** JSON Schemas of all files that people and other programs write or read, generated from the code's own schemas. */
import * as z from 'zod';
import { configSchema } from './config.ts';
import { CONFIG_KEY_HELP } from './config-key-help.ts';
import { authorSchema, bodySchema, ulidSchema } from '../board/event.ts';
import { PLAN_KEY_HELP } from '../plan/plan-key-help.ts';
import { planFileSchema } from '../plan/plan-schema.ts';
import { HOOK_SCHEMAS } from '../team/hook-event.ts';
import { storedSchema } from '../team/message.ts';
import { newTaskSchema } from '../board/task.ts';
import { describedSchema, type KeyHelpTable } from '../text/key-help.ts';
import { configDocumentSchema } from '../team/team-config.ts';
import { processSchema } from '../member/process-record.ts';
import { stateSchema } from '../run/run-state.ts';
import { teamEventSchema } from '../team/team-event.ts';

const boardEventSchema = z.intersection(
  z.object({ id: ulidSchema, v: z.number().int().positive(), at: z.iso.datetime(), author: authorSchema }),
  bodySchema,
);

interface SchemaSource {
  readonly title: string;
  readonly schema: z.ZodType;
  /** What each key means; every key needs an entry. */
  readonly help?: KeyHelpTable;
}

const SOURCES: Readonly<Record<string, SchemaSource>> = {
  plan: { title: 'A plan file of teams', schema: planFileSchema, help: PLAN_KEY_HELP },
  config: { title: 'A configuration file of teams', schema: configSchema, help: CONFIG_KEY_HELP },
  task: { title: 'A task to be added to a board', schema: newTaskSchema },
  'board-event': { title: 'A line of a board log', schema: boardEventSchema },
  'team-config': { title: "A team's config.json", schema: configDocumentSchema },
  'team-state': { title: "A team's state.json", schema: stateSchema },
  process: { title: "A member's process record", schema: processSchema },
  message: { title: 'A line of an inbox', schema: storedSchema },
  'hook-on-task-completed': { title: 'What the hook onTaskCompleted gets', schema: HOOK_SCHEMAS.onTaskCompleted },
  'hook-on-teammate-idle': { title: 'What the hook onTeammateIdle gets', schema: HOOK_SCHEMAS.onTeammateIdle },
  'hook-on-waiting': { title: 'What the hook onWaiting gets', schema: HOOK_SCHEMAS.onWaiting },
  'hook-on-finished': { title: 'What the hook onFinished gets', schema: HOOK_SCHEMAS.onFinished },
  'team-event': { title: 'A line of events.jsonl', schema: teamEventSchema },
};

/**
 * By file name without extension; each describes what may be written, so keys with defaults are optional.
 *
 * @throws Error for a key without help, and for help without a key
 */
export const jsonSchemas = (): Record<string, object> =>
  Object.fromEntries(
    Object.entries(SOURCES).map(([name, { title, schema, help }]) => {
      const { $schema, ...body } = z.toJSONSchema(schema, { io: 'input' });
      return [name, { $schema, $id: `urn:teams-runtime:schema:${name}`, title, ...withHelp(name, body, help) }];
    }),
  );

function withHelp(name: string, schema: object, help: KeyHelpTable | undefined): object {
  if (help === undefined) return schema;
  const { schema: described, missing, stale } = describedSchema({ ...schema }, help);
  if (missing.length > 0) throw new Error(`These keys of ${name} have no description: ${missing.join(', ')}.`);
  if (stale.length > 0) throw new Error(`These descriptions of ${name} have no key: ${stale.join(', ')}.`);
  return described;
}
