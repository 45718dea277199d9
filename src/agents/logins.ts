/** Where the user's own login for each program lies, and how it is had. Pure; whether it is there is its readers' to see. */
import { join } from 'node:path';
import type { AgentKind } from '../model/agent/agent.ts';

export interface Login {
  /** Variables any of which is a key, or says where one comes from. */
  readonly keys: readonly string[];
  /** The program's own directory, and the files of a login in it. */
  readonly directory: string;
  readonly files: readonly string[];
  /** How to log in, as the rest of a sentence. */
  readonly cure: string;
}

type Env = Readonly<Record<string, string | undefined>>;

const own = (env: Env, variable: string, ...below: string[]): string =>
  env[variable] ?? join(env['HOME'] ?? '', ...below);

export type LoginKind = Extract<AgentKind, 'claude' | 'codex' | 'gemini' | 'opencode'>;

export function loginOf(kind: LoginKind, env: Env): Login {
  switch (kind) {
    case 'claude':
      return {
        keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK'],
        directory: own(env, 'CLAUDE_CONFIG_DIR', '.claude'),
        files: ['.credentials.json'],
        cure: 'run `claude` and /login once, or set ANTHROPIC_API_KEY',
      };
    case 'codex':
      return {
        keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
        directory: own(env, 'CODEX_HOME', '.codex'),
        files: ['auth.json'],
        cure: 'run `codex login` once, or set OPENAI_API_KEY',
      };
    case 'gemini':
      return {
        keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
        directory: join(own(env, 'GEMINI_CLI_HOME', ''), '.gemini'),
        files: ['oauth_creds.json', 'google_accounts.json'],
        cure: 'run `gemini` and log in once, or set GEMINI_API_KEY',
      };
    case 'opencode':
      return {
        keys: ['OPENCODE_API_KEY'],
        directory: join(own(env, 'XDG_DATA_HOME', '.local', 'share'), 'opencode'),
        files: ['auth.json'],
        cure: 'run `opencode auth login` once',
      };
  }
}

/** The files of a login, which its program renews. */
export function loginFiles(kind: AgentKind, env: Env): string[] {
  if (kind !== 'claude' && kind !== 'gemini' && kind !== 'opencode') return [];
  const { directory, files } = loginOf(kind, env);
  return files.map((file) => join(directory, file));
}

/** A program's login in a home of its own, as `furnish` makes it: by reference. @param below the home */
export function loginLinks(kind: LoginKind, env: Env, below = ''): Record<string, readonly [string, string]> {
  const { directory, files } = loginOf(kind, env);
  return Object.fromEntries(files.map((file) => [join(below, file), [directory, file] as const]));
}
