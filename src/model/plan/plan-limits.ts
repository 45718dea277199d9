/** What a plan has without being told, and the most of it; apart from the schema, which few processes need. */

export const DEFAULT_ROLE = 'executor';

/** Plans may have up to `maxMembers` of the configuration, whatever `maxAgents` says (docs/specification.md R4.4). */
export const DEFAULT_MAX_MEMBERS = 64;
/** The most that `maxMembers` can be. */
export const MAX_MEMBERS = 512;
