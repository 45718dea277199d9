import { describe, expect, test } from 'vitest';
import { hostEntryText, MCP_HOSTS, withHostEntry } from '../../../src/model/team/host-entry.ts';

const COMMAND = ['teams', 'mcp'] as const;

/** The form that each real host accepted. */
const ENTRIES = {
  claude: { mcpServers: { teams: { type: 'stdio', command: 'teams', args: ['mcp'], alwaysLoad: true } } },
  gemini: { mcpServers: { teams: { command: 'teams', args: ['mcp'], trust: true, timeout: 3_660_000 } } },
  opencode: { mcp: { teams: { type: 'local', command: ['teams', 'mcp'], enabled: true } } },
};
const CODEX = `[mcp_servers.teams]
command = "teams"
args = ["mcp"]
env_vars = ["XDG_CONFIG_HOME","XDG_STATE_HOME"]
startup_timeout_sec = 20
tool_timeout_sec = 3660
default_tools_approval_mode = "approve"
`;

describe('the entry', () => {
  test.each(['claude', 'gemini', 'opencode'] as const)('the entry of %s is its JSON', (host) => {
    expect(JSON.parse(hostEntryText(host, COMMAND))).toEqual(ENTRIES[host]);
  });

  test('the entry of codex is a TOML table', () => {
    expect(hostEntryText('codex', COMMAND)).toBe(CODEX);
  });
});

describe.each(MCP_HOSTS)('the configuration of %s', (host) => {
  test('a new configuration holds the entry alone, and a second call adds nothing', () => {
    for (const nothing of [undefined, '', ' \n']) {
      const made = withHostEntry(host, nothing, COMMAND);
      expect(made).toEqual({ kind: 'new', text: hostEntryText(host, COMMAND) });
      expect(withHostEntry(host, made.kind === 'new' ? made.text : '', COMMAND)).toEqual({ kind: 'there' });
    }
  });

  test('a configuration of another form is not changed', () => {
    for (const text of ['<<<<<<< HEAD', '[1, 2', '"text"', '{ "a": 1, }', '// why\n{}'])
      expect(withHostEntry(host, text, COMMAND)).toMatchObject({ kind: 'unreadable' });
  });
});

describe('what is there', () => {
  test('existing JSON keys stay, in their order and with their indentation', () => {
    const text = '{\n    "zeta": 1,\n    "mcpServers": { "docs": { "command": "npx" } },\n    "alpha": [1]\n}\n';
    const made = withHostEntry('claude', text, COMMAND);
    const all = made.kind === 'new' ? made.text : '';
    expect(Object.keys(JSON.parse(all) as object)).toEqual(['zeta', 'mcpServers', 'alpha']);
    expect(JSON.parse(all)).toEqual({
      zeta: 1,
      alpha: [1],
      mcpServers: { docs: { command: 'npx' }, ...ENTRIES.claude.mcpServers },
    });
    expect(all).toContain('\n    "zeta": 1,\n');
  });

  test('existing TOML stays byte for byte', () => {
    const text = '# mine\nmodel = "o3"\n\n[mcp_servers]\n\n[mcp_servers.docs]\ncommand = "npx" # why';
    expect(withHostEntry('codex', text, COMMAND)).toEqual({ kind: 'new', text: `${text}\n\n${CODEX}` });
  });

  test('an existing entry of another program is not overwritten, in any notation', () => {
    expect(withHostEntry('claude', '{"mcpServers":{"teams":{"command":"other"}}}', COMMAND).kind).toBe('there');
    for (const text of [
      '[mcp_servers.teams]\ncommand = "other"',
      '[mcp_servers.teams.env]\nA = "1"',
      '[mcp_servers]\nteams = { command = "other" }',
      'mcp_servers.teams.command = "other"',
      'mcp_servers = { teams = { command = "other" } }',
    ])
      expect(withHostEntry('codex', text, COMMAND).kind).toBe('there');
  });

  test('a configuration that cannot take the entry is refused', () => {
    expect(withHostEntry('claude', '{"mcpServers":[]}', COMMAND)).toMatchObject({ kind: 'unreadable' });
    expect(withHostEntry('codex', 'mcp_servers = { docs = { command = "npx" } }', COMMAND)).toMatchObject({
      kind: 'unreadable',
    });
  });
});
