/** Events about shared files: wishes that members sent by mail, and the result of each wish. */
import * as z from 'zod';
import { memberSchema } from '../text/names.ts';

export const WISHED = 'shared.wished';
const wishedSchema = z.looseObject({
  type: z.literal(WISHED),
  member: memberSchema,
  text: z.string(),
  /** The message's id. */
  message: z.string(),
  files: z.array(z.string()),
});
type Wished = Pick<z.infer<typeof wishedSchema>, 'member' | 'text' | 'message' | 'files'>;

export const APPLIED = 'shared.applied';
export const LEFT = 'shared.left';
const settledSchema = z.looseObject({ type: z.enum([APPLIED, LEFT]), wish: z.string(), why: z.string().optional() });
export type SettledWish = Pick<z.infer<typeof settledSchema>, 'type' | 'wish' | 'why'>;

/** Undefined for any other event. */
export const readWished = (event: unknown): Wished | undefined => wishedSchema.safeParse(event).data;
export const readSettledWish = (event: unknown): SettledWish | undefined => settledSchema.safeParse(event).data;
