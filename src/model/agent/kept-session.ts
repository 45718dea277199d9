/** The session of a coding CLI, kept for its next start. */
import * as z from 'zod';

/** An id that a program gave us and that becomes an argument of its next start: never an option. */
export const sessionIdSchema = z.string().regex(/^[A-Za-z0-9][\w.:-]{0,127}$/, 'Expected the id of a session');

/** The session that a member's agent continues after a restart of its process. */
export const keptSessionSchema = z.looseObject({
  version: z.number().int(),
  kind: z.string(),
  id: sessionIdSchema,
});
