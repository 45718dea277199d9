/** JSON Schemas of all files that people and other programs write or read, generated from the code's own schemas. */
import * as z from 'zod';
import { configSchema } from './config.ts';
import { authorSchema, bodySchema, ulidSchema } from '../board/event.ts';
import { planFileSchema } from '../plan/plan-schema.ts';
import { storedSchema } from '../team/message.ts';
import { newTaskSchema } from '../board/task.ts';
import { configDocumentSchema, processSchema, stateSchema, teamEventSchema } from '../team/team-config.ts';

const boardEventSchema = z.intersection(
  z.object({ id: ulidSchema, v: z.number().int().positive(), at: z.iso.datetime(), author: authorSchema }),
  bodySchema,
);

const SOURCES = {
  plan: { title: 'A plan file of teams', schema: planFileSchema },
  config: { title: 'A configuration file of teams', schema: configSchema },
  task: { title: 'A task to be added to a board', schema: newTaskSchema },
  'board-event': { title: 'A line of a board log', schema: boardEventSchema },
  'team-config': { title: "A team's config.json", schema: configDocumentSchema },
  'team-state': { title: "A team's state.json", schema: stateSchema },
  process: { title: "A member's process record", schema: processSchema },
  message: { title: 'A line of an inbox', schema: storedSchema },
  'team-event': { title: 'A line of events.jsonl', schema: teamEventSchema },
};

/** By file name without extension; each describes what may be written, so keys with defaults are optional. */
export const jsonSchemas = (): Record<string, object> =>
  Object.fromEntries(
    Object.entries(SOURCES).map(([name, { title, schema }]) => {
      const { $schema, ...body } = z.toJSONSchema(schema, { io: 'input' });
      return [name, { $schema, $id: `urn:teams-runtime:schema:${name}`, title, ...body }];
    }),
  );
