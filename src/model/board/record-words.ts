/** The words and patterns of the board log's records, for the schemas and for what reads most records without them. */

/** The versions of the log that this program reads. What a version-1 log folds to is frozen. */
export const LOG_VERSIONS = [1, 2] as const;
export type LogVersion = (typeof LOG_VERSIONS)[number];

export const isLogVersion = (value: unknown): value is LogVersion => LOG_VERSIONS.includes(value as LogVersion);

export const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** ISO 8601 as `timestamp` writes it. */
export const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/;

export const PROFILES = ['v8', 'forge', 'relay', 'pipeline'] as const;

export const CLAIM_MODES = ['auto', 'assigned', 'prefix'] as const;

/** Why a claim ended without an end of the task. `lost`: its process died at it; that counts towards POISON. */
export const RELEASE_REASONS = ['released', 'orphaned', 'lost', 'fenced', 'agent'] as const;
