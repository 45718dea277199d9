/** JSON as every verb prints it: one object on one line, which begins with `schemaVersion`. */
import { safeJson } from '../../../app.ts';
import { SCHEMA_VERSION } from '../schema-version.ts';

/** Ends with a newline. */
export const jsonLine = (value: object): string => `${safeJson({ schemaVersion: SCHEMA_VERSION, ...value })}\n`;
