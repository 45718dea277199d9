/** Where the user's login for each program is, from the table of agent kinds. Pure: this module reads nothing. */
import { join } from 'node:path';
import {
  AGENT_KIND_RECORDS,
  recordOf,
  type AgentKind,
  type KindsWith,
  type LoginRecord,
} from '../model/agent/agent-kinds.ts';

export type LoginKind = KindsWith<'login'>;

interface Login extends Omit<LoginRecord, 'directory'> {
  /** The program's own directory. */
  readonly directory: string;
}

type Env = Readonly<Record<string, string | undefined>>;

export const loginOf = (kind: LoginKind, env: Env): Login => resolved(AGENT_KIND_RECORDS[kind].login, env);

function resolved(login: LoginRecord, env: Env): Login {
  const { variable, home, below } = login.directory;
  return { ...login, directory: join(env[variable] ?? join(env['HOME'] ?? '', home), below) };
}

/** The files of a login that its program renews, for a sandbox: those that are writable in it, and those that are not. */
export function loginFiles(kind: AgentKind, env: Env): { readonly writable: string[]; readonly readable: string[] } {
  const { login } = recordOf(kind);
  if (login?.renews === undefined) return { writable: [], readable: [] };
  const { directory, files } = resolved(login, env);
  const paths = files.map((file) => join(directory, file));
  return login.renews === 'file' ? { writable: paths, readable: [] } : { writable: [], readable: paths };
}

/** Where each program's own home has its login, in the home of its member. */
const PLACES: Readonly<Record<LoginKind, string>> = {
  claude: 'claude',
  codex: 'codex',
  gemini: 'gemini/.gemini',
  opencode: 'opencode/opencode',
};

interface LentLogin {
  readonly copy: string;
  readonly own: string;
  /** Only tokens go back to the user's own file. */
  readonly isTokensOnly: boolean;
}

/** The files of a login in a member's home, each with the user's own. */
export function lentLogins(kind: AgentKind, home: string, env: Env): LentLogin[] {
  const { login } = recordOf(kind);
  const place = Object.entries(PLACES).find(([one]) => one === kind)?.[1];
  if (login === undefined || place === undefined) return [];
  const { directory, files } = resolved(login, env);
  const isTokensOnly = login.renews === 'tokens';
  return files.map((file) => ({ copy: join(home, place, file), own: join(directory, file), isTokensOnly }));
}

/**
 * Links to a program's login, for a separate home: a login is never copied.
 * @param below a folder of the home
 */
export function loginLinks(kind: LoginKind, env: Env, below = ''): Record<string, readonly [string, string]> {
  const { directory, files } = loginOf(kind, env);
  return Object.fromEntries(files.map((file) => [join(below, file), [directory, file] as const]));
}
