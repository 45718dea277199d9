/**
 * What a lead hands down to its teammates by their environment: agent rules, the hook on finished tasks, inbox quota and
 * the sandbox setting. Each pair encodes and decodes one of them. A value that is missing or makes no sense gives the
 * default: another program may have set a variable of that name.
 */
import { commandFrom, commandText, type Command } from '../../model/agent/agent.ts';
import { jsonAnswer, ownJson } from '../../model/text/json-answer.ts';
import type { AgentRules } from '../../model/agent/models.ts';
import { agentRulesForm } from '../../model/agent/plain-agent.ts';
import type { JudgingRules } from '../../policy/sandbox/judged-work.ts';
import { CUT_OFF_AFTER_MS } from '../../policy/supervise/cut-off.ts';
import type { IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';
import type { Quota } from '../../store/mail/sender.ts';
import { DEFAULT_QUOTA } from '../../store/team/team-store.ts';
import type { Hooks } from './hooks.ts';
import { defined } from '../../model/text/defined.ts';
import { joinedLend, lendSchema, lendsNothing, type Lend } from '../../model/team/lend.ts';
import { ENV } from '../../model/text/environment.ts';

type Environment = Readonly<Record<string, string | undefined>>;
/** Which agents stand in for another, which models tiers name, how long an agent may be silent. */
export const encodeAgentRules = (rules: AgentRules | undefined): Record<string, string> =>
  rules === undefined ? {} : { [ENV.agentRules]: JSON.stringify(rules) };

export function decodeAgentRules(environment: Environment): AgentRules {
  const text = environment[ENV.agentRules];
  const told = text === undefined ? undefined : ownJson(agentRulesForm, text);
  return told?.ok ? told.value : { fallback: [], models: {}, defaultModel: 'sonnet' };
}

export const encodeHook = ({ onTaskCompleted }: Hooks = {}): Record<string, string> =>
  onTaskCompleted === undefined ? {} : { [ENV.hookOnTaskCompleted]: commandText(onTaskCompleted) };

export const decodeHook = (environment: Environment): Command | undefined =>
  commandFrom(environment[ENV.hookOnTaskCompleted] ?? '');

export const encodeQuota = ({ inboxMaxMessages, inboxMaxBytes }: Quota = DEFAULT_QUOTA): Record<string, string> => ({
  [ENV.inboxMaxMessages]: String(inboxMaxMessages),
  [ENV.inboxMaxBytes]: String(inboxMaxBytes),
});

export const decodeQuota = (environment: Environment): Quota => ({
  inboxMaxMessages: limit(environment[ENV.inboxMaxMessages]) ?? DEFAULT_QUOTA.inboxMaxMessages,
  inboxMaxBytes: limit(environment[ENV.inboxMaxBytes]) ?? DEFAULT_QUOTA.inboxMaxBytes,
});

/** @param afterMs milliseconds without a word of the team's store after which a member ends */
export const encodeCutOffAfter = (afterMs = CUT_OFF_AFTER_MS): Record<string, string> =>
  afterMs === CUT_OFF_AFTER_MS ? {} : { [ENV.cutOffAfter]: String(afterMs) };

export const decodeCutOffAfter = (environment: Environment): number =>
  limit(environment[ENV.cutOffAfter]) ?? CUT_OFF_AFTER_MS;

/** @param keys public keys whose signatures count as the user's, as of a `TeamStore` */
export const encodeTrust = (keys: readonly string[] | undefined): Record<string, string> =>
  keys === undefined ? {} : { [ENV.trust]: keys.join(',') };

const limit = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined;

export const encodeIsolation = (wall: IsolationSetting | undefined): Record<string, string> =>
  wall === undefined ? {} : { [ENV.sandboxBwrap]: wall };

export const encodeLend = (lend: Lend | undefined): Record<string, string> =>
  lend === undefined || lendsNothing(lend) ? {} : { [ENV.sandboxLend]: JSON.stringify(lend) };

export function decodeLend(environment: Environment): Lend {
  const text = environment[ENV.sandboxLend];
  const told = text === undefined ? undefined : jsonAnswer(lendSchema, text);
  return told?.ok ? told.value : joinedLend();
}

/** How commands that judge work are isolated. */
export const encodeJudging = (rules: Partial<Pick<JudgingRules, 'sandbox' | 'network'>> = {}): Record<string, string> =>
  defined({
    [ENV.gatesSandbox]: rules.sandbox,
    [ENV.gatesNetwork]: rules.network === undefined ? undefined : String(rules.network),
  });

export const decodeJudging = (environment: Environment): JudgingRules => ({
  setting: decodeIsolation(environment),
  sandbox: environment[ENV.gatesSandbox] === 'off' ? 'off' : 'auto',
  network: environment[ENV.gatesNetwork] === 'true',
});

export function decodeIsolation(environment: Environment): IsolationSetting {
  const told = environment[ENV.sandboxBwrap];
  return told === 'required' || told === 'off' ? told : 'auto';
}
