/** What a lead is told, what of it its teammates' processes are told, and in which ways its loop ends. */
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { AgentRules } from '../../model/agent/models.ts';
import { defined } from '../../model/text/defined.ts';
import type { Limits } from '../../policy/sighting.ts';
import type { Quota } from '../../store/mail/sender.ts';
import { SEND_RATE_VARIABLE } from '../team/send-rate.ts';
import { MOST_FAILURES_VARIABLE, type Speaker } from '../team/authentication.ts';
import type { SpendingRules } from './spending-watch.ts';
import type { Hooks } from '../team/hooks.ts';
import { encodeAgentRules, encodeHook, encodeQuota, encodeIsolation } from '../team/teammate-env.ts';
import type { IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';

export interface LeadOptions {
  readonly limits: Limits;
  /** Messages that each agent may send in a second, when it is not the default. */
  readonly agentSendRate?: number;
  /** How commands of models are held in. */
  readonly isolation?: IsolationSetting;
  /** What its teammates are told of agents. */
  readonly agents?: AgentRules;
  /** Of money and tokens; what is over ends the run. */
  readonly spending?: SpendingRules;
  readonly hooks?: Hooks;
  /** Where the run is told to besides its files. */
  readonly telemetry?: 'off' | 'otlp';
  readonly monitorIntervalMs: number;
  /** Nobody is asked: what a failed blocker holds up is skipped, and a stuck board ends the run. */
  readonly unattended: boolean;
  /** Of the inboxes that its teammates write to. */
  readonly quota?: Quota;
  /** A run ends when its board is done; a lead that serves a team stays until it is told to close. */
  readonly endsWhenDone: boolean;
  /** A model leads and reads the lead's mail itself: what others write waits in `Lead.mail`. */
  readonly readsMail?: boolean;
  /** The agent of members that the lead adds by itself, for follow-ups. */
  readonly spare?: AgentSpec;
  /** Nobody is asked at a checkpoint of a pipeline. */
  readonly passesCheckpoints?: boolean;
  /** The first required task that fails ends the run. */
  readonly failFast?: boolean;
}

export type LeadSpeaker = Speaker & { kind: 'lead' };

/** Why the loop ended. `stuck` carries what is missing. */
export type LeadEnding =
  | { readonly why: 'finished' }
  | { readonly why: 'stuck'; readonly what: string }
  | { readonly why: 'stopped' }
  /** A limit of money or tokens was reached. */
  | { readonly why: 'spent'; readonly what: string }
  /** Somebody asked for the end: `teams delete`, `teams cancel`. */
  | { readonly why: 'closing'; readonly force: boolean; readonly now: boolean };

/** Variables for each teammate's process. */
export const teammateVariables = ({ limits, quota, hooks, ...options }: LeadOptions): Record<string, string> => ({
  [MOST_FAILURES_VARIABLE]: String(limits.maxConsecutiveErrors),
  ...encodeQuota(quota),
  ...encodeHook(hooks),
  ...agentRuleVariables(options),
});

/** What holds for a teammate's agent, whoever started the teammate. */
export const agentRuleVariables = ({
  isolation,
  agents,
  agentSendRate,
}: Pick<LeadOptions, 'isolation' | 'agents' | 'agentSendRate'>): Record<string, string> => ({
  ...encodeIsolation(isolation),
  ...encodeAgentRules(agents),
  ...defined({ [SEND_RATE_VARIABLE]: agentSendRate === undefined ? undefined : String(agentSendRate) }),
});
