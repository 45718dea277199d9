/**
 * How each MCP host is told of our server: the entry that its configuration gets, and that configuration with it. Entries
 * are loaded at once, not deferred; what is there already stays as it is.
 */
import { kindsWith, type KindsWith } from '../agent/agent-kinds.ts';
import { isMap } from '../text/document-problem.ts';
import { tomlOutline } from '../text/toml-outline.ts';

export type McpHost = KindsWith<'isMcpHost'>;
export const MCP_HOSTS: readonly McpHost[] = kindsWith('isMcpHost');

/** As the host calls our server. */
const SERVER = 'teams';
/** The longest wait of a tool and a minute, so that no host gives up first. */
const PATIENCE_S = 3_660;

type Entry = Readonly<Record<string, string | number | boolean | readonly string[]>>;

interface HostForm {
  /** The key of the configuration under which servers stand. */
  readonly servers: string;
  readonly format: 'JSON' | 'TOML';
  readonly entry: (command: readonly [string, ...string[]]) => Entry;
}

const FORMS: Readonly<Record<McpHost, HostForm>> = {
  claude: {
    servers: 'mcpServers',
    format: 'JSON',
    // Otherwise its model must search for the tools before it sees them.
    entry: ([command, ...args]) => ({ type: 'stdio', command, args, alwaysLoad: true }),
  },
  codex: {
    servers: 'mcp_servers',
    format: 'TOML',
    // It hands on no variable that is not named, and asks about every call, which it cannot when nobody is there.
    entry: ([command, ...args]) => ({
      command,
      args,
      env_vars: ['XDG_CONFIG_HOME', 'XDG_STATE_HOME'],
      startup_timeout_sec: 20,
      tool_timeout_sec: PATIENCE_S,
      default_tools_approval_mode: 'approve',
    }),
  },
  gemini: {
    servers: 'mcpServers',
    format: 'JSON',
    entry: ([command, ...args]) => ({ command, args, trust: true, timeout: PATIENCE_S * 1_000 }),
  },
  opencode: {
    servers: 'mcp',
    format: 'JSON',
    entry: (command) => ({ type: 'local', command, enabled: true }),
  },
};

/** The entry alone, as it stands in the file: for a person who adds it by hand. */
export function hostEntryText(host: McpHost, command: readonly [string, ...string[]]): string {
  const { servers, format, entry } = FORMS[host];
  const made = entry(command);
  return format === 'JSON'
    ? `${JSON.stringify({ [servers]: { [SERVER]: made } }, undefined, 2)}\n`
    : `[${servers}.${SERVER}]\n${Object.entries(made)
        .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
        .join('')}`;
}

export type WithEntry =
  | { readonly is: 'new'; readonly text: string }
  | { readonly is: 'there' }
  /** Why nothing can be added, as the end of a sentence. */
  | { readonly is: 'unreadable'; readonly why: string };

/** A host's configuration with our entry added. @param text as it is; undefined for none */
export function withHostEntry(
  host: McpHost,
  text: string | undefined,
  command: readonly [string, ...string[]],
): WithEntry {
  const { format } = FORMS[host];
  const entry = hostEntryText(host, command);
  if (text === undefined || text.trim() === '') return { is: 'new', text: entry };
  return format === 'JSON' ? inJson(FORMS[host], text, command) : inToml(FORMS[host], text, entry);
}

function inJson({ servers, entry }: HostForm, text: string, command: readonly [string, ...string[]]): WithEntry {
  const read = readJson(text.replace(/^\uFEFF/, ''));
  if (!isMap(read)) return { is: 'unreadable', why: 'is no plain JSON object' };
  const known = read[servers] ?? {};
  if (!isMap(known)) return { is: 'unreadable', why: `has a "${servers}" that is no object` };
  if (Object.hasOwn(known, SERVER)) return { is: 'there' };
  const next = { ...read, [servers]: { ...known, [SERVER]: entry(command) } };
  const indent = /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? 2;
  return { is: 'new', text: `${JSON.stringify(next, undefined, indent)}\n` };
}

/** @returns undefined for what is no JSON */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function inToml({ servers }: HostForm, text: string, entry: string): WithEntry {
  const outline = tomlOutline(text);
  if (!outline.ok) return { is: 'unreadable', why: `is no TOML at line ${outline.line}` };
  const isOurs = ({ path: [first, second] }: { path: readonly string[] }): boolean =>
    first === servers && second === SERVER;
  if (outline.defined.some(isOurs)) return { is: 'there' };
  if (outline.defined.some(({ path, kind }) => kind === 'value' && path.length === 1 && path[0] === servers))
    return { is: 'unreadable', why: `has its ${servers} on one line, which no table can be added to` };
  return { is: 'new', text: `${text.endsWith('\n') ? text : `${text}\n`}\n${entry}` };
}
