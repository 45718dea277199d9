/** What is on the log about shared files: what a member asked of one by mail, and what became of each wish. */
import * as z from 'zod';
import { memberSchema } from '../text/names.ts';

export const WISHED = 'shared.wished';
const wishedSchema = z.looseObject({
  type: z.literal(WISHED),
  member: memberSchema,
  text: z.string(),
  /** Of the message. */
  message: z.string(),
  files: z.array(z.string()),
});
export type Wished = Pick<z.infer<typeof wishedSchema>, 'member' | 'text' | 'message' | 'files'>;

export const APPLIED = 'shared.applied';
export const LEFT = 'shared.left';
const settledSchema = z.looseObject({ type: z.enum([APPLIED, LEFT]), wish: z.string(), why: z.string().optional() });
export type SettledWish = Pick<z.infer<typeof settledSchema>, 'type' | 'wish' | 'why'>;

/** Undefined for any other event. */
export const readWished = (event: unknown): Wished | undefined => wishedSchema.safeParse(event).data;
export const readSettledWish = (event: unknown): SettledWish | undefined => settledSchema.safeParse(event).data;
