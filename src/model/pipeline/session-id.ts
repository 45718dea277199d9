/** A pipeline's session and its team have one name, in S4's form and in ours: `TLS-login-2026-02-27`, `tls-login-2026-02-27`. */
import type { Name } from '../text/names.ts';

/** @returns undefined for a team whose name is no session's */
export const sessionIdOf = (team: Name): string | undefined =>
  team.startsWith('tls-') ? `TLS-${team.slice('tls-'.length)}` : undefined;
