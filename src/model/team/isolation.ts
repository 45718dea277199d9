/** The key `isolation` of a plan and of the configuration: whether members work in trees of their own (docs/isolation.md). */
import * as z from 'zod';

/** `auto`: trees where they help and are possible. */
export const isolationModeSchema = z.enum(['auto', 'trees', 'off']);
export type IsolationMode = z.infer<typeof isolationModeSchema>;
