/** What is kept of a team's whole event log for views: how each member died, what the lead decided about it, and when. */
import * as z from 'zod';
import { teamEventSchema } from './team-event.ts';

const memberHistorySchema = z.object({
  /** Its last death, unless a later process is known to the log: `signal SIGKILL`, `exit 1`. */
  death: z.object({ how: z.string(), at: z.string() }).optional(),
  /** It was stopped in order. */
  isStopped: z.boolean(),
  /** Restarts since the lead last reset the count. */
  restarts: z.number(),
  isGivenUp: z.boolean(),
  quarantinedAt: z.string().optional(),
  /** When it last said or did something that is not a board event. */
  lastActAt: z.string().optional(),
  /** The lead's last decision about it. */
  decision: teamEventSchema.optional(),
});
export type MemberHistory = z.infer<typeof memberHistorySchema>;

const logTimesSchema = z.object({
  /** Its process ended. */
  gone: z.string().optional(),
  /** It got a STATUS CHECK and has shown no progress since. */
  checked: z.string().optional(),
});
/** The times of a member that only the event log has, ISO 8601. */
export type LogTimes = z.infer<typeof logTimesSchema>;

export const eventSummarySchema = z.object({
  histories: z.array(z.tuple([z.string(), memberHistorySchema])),
  times: z.array(z.tuple([z.string(), logTimesSchema])),
});
export type EventSummary = z.infer<typeof eventSummarySchema>;
