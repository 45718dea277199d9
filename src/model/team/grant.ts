/** Files that the lead let a member write though they are not its own, as an event of the team's log. */
import * as z from 'zod';
import { memberSchema } from '../text/names.ts';

export const GRANTED = 'boundary.granted';
const grantSchema = z.looseObject({ type: z.literal(GRANTED), member: memberSchema, files: z.array(z.string()) });
export type Grant = Pick<z.infer<typeof grantSchema>, 'member' | 'files'>;

/** Undefined for any other event. */
export const readGrant = (event: unknown): Grant | undefined => grantSchema.safeParse(event).data;
