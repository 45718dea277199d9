/**
 * How the programs that speak ACP are started: Gemini and opencode with a separate configuration for the member, any
 * other by its command.
 */
import { join } from 'node:path';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { AGENT_KIND_RECORDS } from '../../model/agent/agent-kinds.ts';
import { defined } from '../../model/text/defined.ts';
import type { AgentContext, TurnInput } from '../agent-contract.ts';
import type { Launch } from './program-dialect.ts';
import { prepareHome } from './agent-home-contents.ts';
import { isObject, type JsonObject } from './json-lines.ts';
import { loginLinks } from '../logins.ts';

type Env = TurnInput['env'];

type Place = Pick<TurnInput, 'env' | 'cwd' | 'sandbox'>;

export function acpLaunch(spec: AgentSpec, agentContext: AgentContext, place: Place): Launch {
  const { env } = place;
  if (spec.kind === 'gemini') return gemini(spec, agentContext, env);
  if (spec.kind === 'opencode') return opencode(spec, agentContext, place);
  return { argv: [...(spec.command ?? []), ...(spec.args ?? [])], env };
}

function gemini(
  { command = [AGENT_KIND_RECORDS.gemini.program], args = [], model, baseUrl, options }: AgentSpec,
  agentContext: AgentContext,
  env: Env,
): Launch {
  const home = agentContext.home === undefined ? undefined : join(agentContext.home, 'gemini');
  if (home !== undefined) prepareHome(home, geminiHome(agentContext, env, options));
  const policy = home === undefined || agentContext.asks !== true ? [] : [`--admin-policy=${join(home, ASKS)}`];
  const chosen = model === undefined ? [] : [`--model=${model}`];
  return {
    argv: [...command, '--acp', '--skip-trust', ...chosen, ...policy, ...args],
    env: {
      // Without it, Gemini starts itself again with a larger heap, and a signal to the first process does not reach the
      // second.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      ...env,
      ...agentContext.server?.env,
      ...defined({ GOOGLE_GEMINI_BASE_URL: baseUrl, GEMINI_CLI_HOME: home }),
    },
  };
}

/** Rules of a person who is asked: they come before what settings or policies of the project allow. */
const ASKS = 'asks.toml';
const ASKS_RULES = `[[rule]]
toolName = "*"
decision = "ask_user"
priority = 900

[[rule]]
toolName = ["list_directory", "read_file", "read_many_files", "glob", "grep_search", "write_todos", "update_topic", "activate_skill", "list_background_processes", "read_background_output"]
decision = "allow"
priority = 950

[[rule]]
mcpName = "team"
toolName = "*"
decision = "allow"
priority = 950
`;

function geminiHome({ server, asks = false }: AgentContext, env: Env, options: AgentSpec['options'] = {}) {
  const key = env['GEMINI_API_KEY'] ?? env['GOOGLE_API_KEY'];
  const settings = {
    telemetry: { enabled: false },
    privacy: { usageStatisticsEnabled: false },
    general: { maxAttempts: 1, enableAutoUpdate: false, enableAutoUpdateNotification: false },
    security: { auth: { selectedType: key === undefined ? 'oauth-personal' : 'gemini-api-key' } },
    // Gemini's own subagents would be outside the team's control.
    experimental: { enableAgents: false },
    tools: { exclude: ['invoke_agent', 'enter_plan_mode', 'exit_plan_mode', 'ask_user'] },
    ...options,
    ...defined({ mcpServers: server && { team: trusted(server) } }),
  };
  return {
    // Written as the user's settings: system settings count only if root owns every directory on their path.
    files: {
      '.gemini/settings.json': JSON.stringify(settings, undefined, 2),
      ...(asks ? { [ASKS]: ASKS_RULES } : undefined),
    },
    links: loginLinks('gemini', env, '.gemini'),
  };
}

/** Environment variables by name: the values are in Gemini's environment, not in a file. */
const trusted = ({ command, args, env }: NonNullable<AgentContext['server']>): JsonObject => ({
  command,
  args,
  trust: true,
  timeout: 3_600_000,
  env: Object.fromEntries(Object.keys(env).map((name) => [name, `$${name}`])),
});

/**
 * opencode asks before it writes, runs a command or uses the network; our answer is the permission. `task` would start
 * its own agents.
 */
const OPENCODE_PERMISSION = {
  edit: 'ask',
  bash: 'ask',
  webfetch: 'ask',
  websearch: 'ask',
  external_directory: 'ask',
  task: 'deny',
  question: 'deny',
};

const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
};

function opencode(spec: AgentSpec, agentContext: AgentContext, { env, cwd, sandbox }: Place): Launch {
  const { command = [AGENT_KIND_RECORDS.opencode.program], args = [] } = spec;
  // The project's configuration can allow what our answers refuse or a person is to be asked: they alone hold here.
  const isAlone = agentContext.asks === true || (agentContext.isolate === undefined && sandbox !== 'full');
  return {
    argv: [...command, 'acp', ...args],
    env: {
      ...QUIET,
      ...env,
      ...(isAlone ? { OPENCODE_DISABLE_PROJECT_CONFIG: '1' } : undefined),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(
        opencodeConfig(spec, env, isAlone ? [join(cwd, 'AGENTS.md')] : undefined),
      ),
      // A rule of the same name in the project's configuration is not used; others of it may be.
      OPENCODE_PERMISSION: JSON.stringify(OPENCODE_PERMISSION),
      // Several processes with one database fail with "database is locked".
      ...defined({
        XDG_DATA_HOME:
          agentContext.home === undefined ? undefined : opencodeHome(join(agentContext.home, 'opencode'), env),
      }),
    },
  };
}

/** Its login can name an address whose configuration it runs. So it has a copy, of which only tokens go back. */
const opencodeHome = (home: string, env: Env): string =>
  prepareHome(home, { copies: loginLinks('opencode', env, 'opencode') });

/** A gateway is a provider of its own; the model's name follows the provider's. */
function opencodeConfig(
  { model, baseUrl, options = {} }: AgentSpec,
  env: Env,
  instructions: readonly string[] | undefined,
): JsonObject {
  // A denied tool is reported to the model; it need not end the turn.
  const experimental = { continue_loop_on_deny: true };
  const quiet = { autoupdate: false, share: 'disabled', experimental, ...defined({ instructions }) };
  if (baseUrl === undefined) return { ...quiet, model, ...options };
  const name = model ?? 'default';
  const key = env['OPENCODE_API_KEY'] === undefined ? 'none' : '{env:OPENCODE_API_KEY}';
  const teams = {
    npm: '@ai-sdk/openai-compatible',
    name: 'teams',
    options: { baseURL: baseUrl, apiKey: key },
    models: { [name]: { name } },
  };
  const others = isObject(options['provider']) ? options['provider'] : {};
  const chosen = { model: `teams/${name}`, small_model: `teams/${name}` };
  return { ...quiet, ...chosen, ...options, provider: { ...others, teams } };
}
