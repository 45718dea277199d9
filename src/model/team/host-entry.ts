/**
 * Adds our MCP server to a host's configuration: the entry for each host, and the configuration with the entry. Tools
 * are loaded at once, not deferred; existing content is kept.
 */
import { kindsWith, type KindsWith } from '../agent/agent-kinds.ts';
import { isMap } from '../text/document-problem.ts';
import { jsonOf } from '../text/plain-fields.ts';
import { tomlOutline } from '../text/toml-outline.ts';

export type McpHost = KindsWith<'isMcpHost'>;
export const MCP_HOSTS: readonly McpHost[] = kindsWith('isMcpHost');

/** The server's name in the host. */
const SERVER = 'teams';
/** Seconds: the longest wait of a tool plus one minute, so that no host times out first. */
const PATIENCE_S = 3_660;

type Entry = Readonly<Record<string, string | number | boolean | readonly string[]>>;

interface HostForm {
  /** The configuration key that contains the servers. */
  readonly servers: string;
  readonly format: 'JSON' | 'TOML';
  readonly entry: (command: readonly [string, ...string[]]) => Entry;
}

const FORMS: Readonly<Record<McpHost, HostForm>> = {
  claude: {
    servers: 'mcpServers',
    format: 'JSON',
    // Without alwaysLoad its model must search for the tools before it sees them.
    entry: ([command, ...args]) => ({ type: 'stdio', command, args, alwaysLoad: true }),
  },
  codex: {
    servers: 'mcp_servers',
    format: 'TOML',
    // Codex passes on only variables that are named, and asks about every call; without a person no call would be
    // approved.
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

/** The entry alone, as it is written in the file: for a person who adds it by hand. */
export function hostEntryText(host: McpHost, command: readonly [string, ...string[]]): string {
  const { servers, format, entry } = FORMS[host];
  const made = entry(command);
  return format === 'JSON'
    ? `${JSON.stringify({ [servers]: { [SERVER]: made } }, undefined, 2)}\n`
    : `[${servers}.${SERVER}]\n${Object.entries(made)
        .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
        .join('')}`;
}

type WithEntry =
  | { readonly kind: 'new'; readonly text: string }
  | { readonly kind: 'there' }
  /** Why nothing can be added, as the end of a sentence. */
  | { readonly kind: 'unreadable'; readonly why: string };

/**
 * A host's configuration with our entry added.
 *
 * @param text the present configuration; undefined if there is none
 */
export function withHostEntry(
  host: McpHost,
  text: string | undefined,
  command: readonly [string, ...string[]],
): WithEntry {
  const { format } = FORMS[host];
  const entry = hostEntryText(host, command);
  if (text === undefined || text.trim() === '') return { kind: 'new', text: entry };
  return format === 'JSON' ? inJson(FORMS[host], text, command) : inToml(FORMS[host], text, entry);
}

function inJson({ servers, entry }: HostForm, text: string, command: readonly [string, ...string[]]): WithEntry {
  const read = jsonOf(text.replace(/^\uFEFF/, ''));
  if (!isMap(read)) return { kind: 'unreadable', why: 'is not a plain JSON object' };
  const known = read[servers] ?? {};
  if (!isMap(known)) return { kind: 'unreadable', why: `has a "${servers}" that is not an object` };
  if (Object.hasOwn(known, SERVER)) return { kind: 'there' };
  const next = { ...read, [servers]: { ...known, [SERVER]: entry(command) } };
  const indent = /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? 2;
  return { kind: 'new', text: `${JSON.stringify(next, undefined, indent)}\n` };
}

function inToml({ servers }: HostForm, text: string, entry: string): WithEntry {
  const outline = tomlOutline(text);
  if (!outline.ok) return { kind: 'unreadable', why: `is not valid TOML at line ${outline.line}` };
  const isOurs = ({ path: [first, second] }: { path: readonly string[] }): boolean =>
    first === servers && second === SERVER;
  if (outline.defined.some(isOurs)) return { kind: 'there' };
  if (outline.defined.some(({ path, kind }) => kind === 'value' && path.length === 1 && path[0] === servers))
    return { kind: 'unreadable', why: `has its ${servers} on one line, so no table can be added` };
  return { kind: 'new', text: `${text.endsWith('\n') ? text : `${text}\n`}\n${entry}` };
}
