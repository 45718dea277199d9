/**
 * What a lead hands down to its teammates by their environment: agent rules, the hook on finished tasks, inbox quota and
 * the sandbox setting. Each pair encodes and decodes one of them. A value that is missing or makes no sense gives the
 * default: another program may have set a variable of that name.
 */
import { commandFrom, commandText, type Command } from '../../model/agent/agent.ts';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import { agentRulesSchema, type AgentRules } from '../../model/agent/models.ts';
import type { IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';
import type { Quota } from '../../store/mail/sender.ts';
import { DEFAULT_QUOTA } from '../../store/team/team-store.ts';
import type { Hooks } from './hooks.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const RULES = 'TEAMS_AGENT_RULES';
const HOOK = 'TEAMS_HOOK_ON_TASK_COMPLETED';
const MESSAGES = 'TEAMS_INBOX_MAX_MESSAGES';
const BYTES = 'TEAMS_INBOX_MAX_BYTES';
const BWRAP = 'TEAMS_SANDBOX_BWRAP';

/** Which agents stand in for another, which models tiers name, how long an agent may be silent. */
export const encodeAgentRules = (rules: AgentRules | undefined): Record<string, string> =>
  rules === undefined ? {} : { [RULES]: JSON.stringify(rules) };

export function decodeAgentRules(environment: Environment): AgentRules {
  const told = jsonAnswer(agentRulesSchema, environment[RULES] ?? '');
  return told.ok ? told.value : { fallback: [], models: {}, defaultModel: 'sonnet' };
}

export const encodeHook = ({ onTaskCompleted }: Hooks = {}): Record<string, string> =>
  onTaskCompleted === undefined ? {} : { [HOOK]: commandText(onTaskCompleted) };

export const decodeHook = (environment: Environment): Command | undefined => commandFrom(environment[HOOK] ?? '');

export const encodeQuota = ({ inboxMaxMessages, inboxMaxBytes }: Quota = DEFAULT_QUOTA): Record<string, string> => ({
  [MESSAGES]: String(inboxMaxMessages),
  [BYTES]: String(inboxMaxBytes),
});

export const decodeQuota = (environment: Environment): Quota => ({
  inboxMaxMessages: limit(environment[MESSAGES]) ?? DEFAULT_QUOTA.inboxMaxMessages,
  inboxMaxBytes: limit(environment[BYTES]) ?? DEFAULT_QUOTA.inboxMaxBytes,
});

const limit = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined;

export const encodeIsolation = (wall: IsolationSetting | undefined): Record<string, string> =>
  wall === undefined ? {} : { [BWRAP]: wall };

export function decodeIsolation(environment: Environment): IsolationSetting {
  const told = environment[BWRAP];
  return told === 'required' || told === 'off' ? told : 'auto';
}
