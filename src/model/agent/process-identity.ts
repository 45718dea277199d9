/** What identifies a process: a pid alone does not, because pids are reused. */
import * as z from 'zod';
import { plainIntegerFrom, plainText } from '../text/plain-fields.ts';

export const processIdentitySchema = z.object({
  pid: z.number().int().positive(),
  /** Linux: clock ticks since boot. Elsewhere: seconds since 1970. */
  startTime: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
});
/** Identifies one process of one boot, for ever. An empty string means that a part could not be read. */
export type ProcessIdentity = Readonly<z.infer<typeof processIdentitySchema>>;

/** The fields of {@link processIdentitySchema} (text/plain-fields.ts). */
export const plainIdentity = {
  pid: plainIntegerFrom(1),
  startTime: plainText,
  bootId: plainText,
  pidNamespace: plainText,
};
