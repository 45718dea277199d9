/** What a program in its isolation asks of its member's process: a command line of `teams`. */
import * as z from 'zod';

const WORD = 256 * 1024;

export const brokerCallSchema = z.strictObject({
  argv: z.array(z.string().max(WORD)).max(256),
  cwd: z.string().max(4_096).optional(),
  task: z
    .string()
    .regex(/^[\w.-]{1,128}$/)
    .optional(),
});
