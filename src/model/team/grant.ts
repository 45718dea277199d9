/**
 * The event that records a boundary exception: files that the lead lets a member write although it does not own them.
 */
import * as z from 'zod';
import { memberSchema } from '../text/names.ts';

export const GRANTED = 'boundary.granted';
const grantSchema = z.looseObject({ type: z.literal(GRANTED), member: memberSchema, files: z.array(z.string()) });
export type Grant = Pick<z.infer<typeof grantSchema>, 'member' | 'files'>;

/** Undefined for any other event. */
export const readGrant = (event: unknown): Grant | undefined => grantSchema.safeParse(event).data;
