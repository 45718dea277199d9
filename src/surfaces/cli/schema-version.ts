/** The version of the shapes that `--json` prints; in every object, and in every line of a stream. */
export const SCHEMA_VERSION = 2;
