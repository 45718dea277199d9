/**
 * An agent's report of its own task, as an event of the team (docs/specification.md R3.6). It never ends the task; the
 * runner does.
 */
import * as z from 'zod';
import type { TeamEvent } from '../team/team-event.ts';

export const REPORTED = 'task.reported';

const reportedSchema = z.looseObject({
  type: z.literal(REPORTED),
  member: z.string(),
  task: z.string(),
  /** The epoch of the reported claim; a report about an earlier claim is ignored. */
  epoch: z.number().int(),
  /** `unverified`: the agent reported `completed`, but a `verify:` command failed. */
  outcome: z.enum(['completed', 'failed', 'unverified']),
  text: z.string(),
});

export type Reported = z.infer<typeof reportedSchema>;
export type AgentReport = Pick<Reported, 'outcome' | 'text'>;

/** The report in an event; undefined for any other event. */
export function reportIn(event: TeamEvent): Reported | undefined {
  if (event.type !== REPORTED) return undefined;
  const parsed = reportedSchema.safeParse(event);
  return parsed.success ? parsed.data : undefined;
}
