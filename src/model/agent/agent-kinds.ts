/**
 * What differs between agent kinds and is data, one record a kind. Every list of kinds is drawn from here. A new kind is
 * a record here, an adapter in `agents/` that `agents/agent-registry.ts` loads, and a row in the agents' contract tests.
 */

/** Who answers for a kind's limits and bills. */
type Vendor = 'anthropic' | 'openai' | 'google' | 'opencode' | 'ollama';

/** Where a program keeps its login: `$variable`, or `~/home` without it; then `below` in that directory. */
export interface LoginRecord {
  readonly directory: { readonly variable: string; readonly home: string; readonly below: string };
  /** The files of a login in that directory. */
  readonly files: readonly string[];
  /** Variables any of which is a key, or says where one comes from. */
  readonly keys: readonly string[];
  /** How to log in, as the rest of a sentence. */
  readonly cure: string;
  /** Some of its models work without a login. */
  readonly isOptional?: true;
  /** macOS keeps the login in its keychain, where it cannot be seen. */
  readonly inKeychain?: true;
  /**
   * The program renews these files. `file`: they hold tokens only, so a sandbox lends them writable. `tokens`: they can
   * also say what the program runs, so the program has a copy, and only tokens go back.
   */
  readonly renews?: 'file' | 'tokens';
}

/** A domain or a task type that `routes` may name. */
type RoutedWork = 'backend' | 'frontend' | 'review' | 'explore' | 'test';

export interface AgentKindRecord {
  /** `command`: one process a task. `script`: replays a file. `program`: one process for all turns. `api`: our tool loop. */
  readonly drive: 'command' | 'script' | 'program' | 'api';
  readonly vendor?: Vendor;
  /** The program on PATH; a kind without one names it in `command`, or needs none. */
  readonly program?: string;
  /** How a person installs it: an npm package, or where to get it. */
  readonly install?: { readonly npm: string } | { readonly from: string };
  readonly login?: LoginRecord;
  /** An API key: one of these variables must be set, unless the agent has a `baseUrl`. */
  readonly apiKeys?: readonly string[];
  /** Prefixes of the environment variables that are handed down to it. */
  readonly environment: readonly string[];
  /**
   * What holds its commands without bubblewrap. `nothing`: a command does what its user may do. `asks`: its own tools ask
   * us, its shell does not. `tools`: our tools refuse, our shell does not. `itself`: its own sandbox holds.
   */
  readonly sandbox: 'nothing' | 'asks' | 'tools' | 'itself';
  /** Its place in the default `fallback`, from 1; a kind without one never stands in. */
  readonly fallbackRank?: number;
  /** Its place among the backends of `refine --backend all`, from 1; a kind without one is no backend. */
  readonly backendRank?: number;
  /** Domains and task types that routing gives it where it is available; the first kind in the table that has one wins. */
  readonly routes?: readonly RoutedWork[];
  /** The program is an MCP host that `teams init --host` can configure. */
  readonly isMcpHost?: true;
  /** It runs on the user's own machine and sends no bill. */
  readonly isFree?: true;
}

const ANTHROPIC = ['ANTHROPIC_', 'CLAUDE_'];
const OPENAI = ['OPENAI_', 'CODEX_'];
const GOOGLE = ['GEMINI_', 'GOOGLE_'];

export const AGENT_KIND_RECORDS = {
  exec: { drive: 'command', environment: [], sandbox: 'nothing' },
  scripted: { drive: 'script', environment: [], sandbox: 'itself' },
  claude: {
    drive: 'program',
    vendor: 'anthropic',
    program: 'claude',
    install: { npm: '@anthropic-ai/claude-code' },
    login: {
      directory: { variable: 'CLAUDE_CONFIG_DIR', home: '.claude', below: '' },
      files: ['.credentials.json'],
      keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK'],
      cure: 'run `claude` and /login once, or set ANTHROPIC_API_KEY',
      inKeychain: true,
      renews: 'file',
    },
    environment: ANTHROPIC,
    sandbox: 'asks',
    fallbackRank: 1,
    backendRank: 4,
    routes: ['test'],
    isMcpHost: true,
  },
  codex: {
    drive: 'program',
    vendor: 'openai',
    program: 'codex',
    install: { npm: '@openai/codex' },
    login: {
      directory: { variable: 'CODEX_HOME', home: '.codex', below: '' },
      files: ['auth.json'],
      keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
      cure: 'run `codex login` once, or set OPENAI_API_KEY',
    },
    environment: OPENAI,
    sandbox: 'itself',
    fallbackRank: 3,
    backendRank: 1,
    routes: ['backend', 'review', 'explore'],
    isMcpHost: true,
  },
  gemini: {
    drive: 'program',
    vendor: 'google',
    program: 'gemini',
    install: { npm: '@google/gemini-cli' },
    login: {
      directory: { variable: 'GEMINI_CLI_HOME', home: '', below: '.gemini' },
      files: ['oauth_creds.json', 'google_accounts.json'],
      keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
      cure: 'run `gemini` and log in once, or set GEMINI_API_KEY',
      renews: 'file',
    },
    environment: GOOGLE,
    sandbox: 'asks',
    fallbackRank: 4,
    backendRank: 2,
    routes: ['frontend'],
    isMcpHost: true,
  },
  opencode: {
    drive: 'program',
    vendor: 'opencode',
    program: 'opencode',
    install: { npm: 'opencode-ai' },
    login: {
      directory: { variable: 'XDG_DATA_HOME', home: '.local/share', below: 'opencode' },
      files: ['auth.json'],
      keys: ['OPENCODE_API_KEY'],
      cure: 'run `opencode auth login` once',
      isOptional: true,
      renews: 'tokens',
    },
    environment: ['OPENCODE_'],
    sandbox: 'asks',
    fallbackRank: 5,
    backendRank: 5,
    isMcpHost: true,
  },
  acp: { drive: 'program', environment: [], sandbox: 'asks' },
  anthropic: {
    drive: 'api',
    vendor: 'anthropic',
    apiKeys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
    environment: ANTHROPIC,
    sandbox: 'tools',
    fallbackRank: 2,
  },
  openai: {
    drive: 'api',
    vendor: 'openai',
    apiKeys: ['OPENAI_API_KEY'],
    environment: OPENAI,
    sandbox: 'tools',
    fallbackRank: 6,
  },
  google: {
    drive: 'api',
    vendor: 'google',
    apiKeys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    environment: GOOGLE,
    sandbox: 'tools',
    fallbackRank: 7,
  },
  ollama: {
    drive: 'api',
    vendor: 'ollama',
    program: 'ollama',
    install: { from: 'https://ollama.com/download, then `ollama serve`' },
    environment: ['OLLAMA_'],
    sandbox: 'tools',
    fallbackRank: 8,
    backendRank: 3,
    isFree: true,
  },
} as const satisfies Readonly<Record<string, AgentKindRecord>>;

type Records = typeof AGENT_KIND_RECORDS;
export type AgentKind = keyof Records;

/** The kinds whose record has a field, such as `login`. */
export type KindsWith<Field extends keyof AgentKindRecord> = {
  [Kind in AgentKind]: Records[Kind] extends Readonly<Record<Field, unknown>> ? Kind : never;
}[AgentKind];

export const isAgentKind = (text: string): text is AgentKind => Object.hasOwn(AGENT_KIND_RECORDS, text);

/** All kinds, in the order of the table. */
export const AGENT_KINDS: readonly AgentKind[] = Object.keys(AGENT_KIND_RECORDS).filter(isAgentKind);

export const recordOf = (kind: AgentKind): AgentKindRecord => AGENT_KIND_RECORDS[kind];

/** The kinds whose record has a field, in the order of the table. */
export function kindsWith<Field extends keyof AgentKindRecord>(field: Field): KindsWith<Field>[] {
  const has = (kind: AgentKind): kind is KindsWith<Field> => recordOf(kind)[field] !== undefined;
  return AGENT_KINDS.filter(has);
}

/** The kinds that have a rank, the first of them first. */
export const rankedBy = (rank: 'fallbackRank' | 'backendRank'): AgentKind[] =>
  kindsWith(rank).toSorted((a, b) => (recordOf(a)[rank] ?? 0) - (recordOf(b)[rank] ?? 0));

/** The kind that routing gives a domain or a task type to. */
export const routedTo = (work: RoutedWork): AgentKind | undefined =>
  AGENT_KINDS.find((kind) => recordOf(kind).routes?.includes(work));

/** The kinds of a vendor, its program before its API. */
export const kindsOf = (vendor: Vendor): AgentKind[] => AGENT_KINDS.filter((kind) => recordOf(kind).vendor === vendor);

/** Kinds whose tools are carried out by this process: a model's API with our own loop. */
/** Whether it is a program that holds its own commands, and is not held itself. */
export const bringsSandbox = (kind: AgentKind): boolean => {
  const { drive, sandbox } = recordOf(kind);
  return drive === 'program' && sandbox === 'itself';
};

export const hasToolLoop = (kind: AgentKind): boolean => recordOf(kind).drive === 'api';

/** Kinds behind which a model works. A command does what its author wrote, and a script says what its file says. */
export const usesModel = (kind: AgentKind): boolean => {
  const { drive } = recordOf(kind);
  return drive === 'program' || drive === 'api';
};
