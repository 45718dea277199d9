/** What a machine has, in a word: `gpu`, `arm64`. A host names its own, a member those that it needs. */
import * as z from 'zod';

const WORD = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Whether it can be the name or a label of a host. */
export const isHostWord = (text: string): boolean => WORD.test(text);

export const hostLabelSchema = z.string().regex(WORD, 'Expected a label of letters, digits, dots and dashes');
