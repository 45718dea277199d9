/** What an agent says of its own task (SPEC §5), as a fact in the team's events: a claim, never the end. */
import * as z from 'zod';
import type { TeamEvent } from './team-config.ts';

export const REPORTED = 'task.reported';

const reportedSchema = z.looseObject({
  type: z.literal(REPORTED),
  member: z.string(),
  task: z.string(),
  /** Of the claim that it speaks of: a report about an earlier one says nothing about this. */
  epoch: z.number().int(),
  /** `unverified`: it claimed to be done, and a `verify:` command did not agree. */
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
