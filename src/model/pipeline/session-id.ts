/**
 * A pipeline's session and its team have the same name, in two spellings (docs/specification.md R10.3):
 * `TLS-login-2026-02-27` and `tls-login-2026-02-27`.
 */
import type { Name } from '../text/names.ts';

/** @returns undefined for a team that has no session */
export const sessionIdOf = (team: Name): string | undefined =>
  team.startsWith('tls-') ? `TLS-${team.slice('tls-'.length)}` : undefined;
