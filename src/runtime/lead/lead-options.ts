/** The options of a lead, the environment variables that its teammates get, and the ways in which its loop ends. */
import type { TeamError } from '../../model/text/errors.ts';
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { AgentRules } from '../../model/agent/models.ts';
import { defined } from '../../model/text/defined.ts';
import type { Lend } from '../../model/team/lend.ts';
import type { Config } from '../../model/config/config.ts';
import type { Limits } from '../../policy/sighting.ts';
import type { Quota } from '../../store/mail/sender.ts';
import type { Prices } from '../../model/team/spending-sum.ts';
import type { LimitChange } from '../budget/limits.ts';
import { type Speaker } from '../team/authentication.ts';
import type { Hooks } from '../team/hooks.ts';
import {
  encodeAgentRules,
  encodeCutOffAfter,
  encodeJudging,
  encodeHook,
  encodeQuota,
  encodeIsolation,
  encodeLend,
} from '../team/teammate-env.ts';
import type { IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';
import { ENV } from '../../model/text/environment.ts';

export interface LeadOptions {
  readonly limits: Limits;
  /** Messages that each agent may send in a second, if not the default. */
  readonly agentSendRate?: number;
  /** How shell commands of models are isolated. */
  readonly isolation?: IsolationSetting;
  /** What the user lends to isolated programs. */
  readonly lend?: Lend;
  /** The user's settings of gates: commands for those that a plan asks for without one, and their isolation. */
  readonly gates?: Partial<Config['gates']> | undefined;
  /** Rules about agents that its teammates get. */
  readonly agents?: AgentRules;
  /** Prices by model; they override the known prices. */
  readonly prices?: Prices;
  /** Limits of what agents may use, as the configuration and flags give them. */
  readonly budget?: readonly LimitChange[];
  readonly hooks?: Hooks;
  /** The user's commands by the events that they get. */
  readonly subscribers?: Config['subscribers'];
  /** Where the run is exported to, besides its files. */
  readonly telemetry?: 'off' | 'otlp';
  readonly monitorIntervalMs: number;
  /** Milliseconds without a word of the team's store after which it and its members end, if not the default. */
  readonly cutOffAfterMs?: number | undefined;
  /** No person answers: tasks that a failed blocker holds up are skipped, and a stuck board ends the run. */
  readonly unattended: boolean;
  /** Limits of the inboxes that its teammates write to. */
  readonly quota?: Quota;
  /** True for a run, which ends when its board is done. A lead that serves a team stays until it is told to close. */
  readonly endsWhenDone: boolean;
  /** A model leads and reads the lead's mail itself: mail from others waits in `Lead.mail`. */
  readonly readsMail?: boolean;
  /** The agent of members that the lead adds by itself, for follow-ups. */
  readonly spare?: AgentSpec;
  /** Checkpoints of a pipeline pass without asking a person. */
  readonly passesCheckpoints?: boolean;
  /** The first required task that fails ends the run. */
  readonly failFast?: boolean;
}

export type LeadSpeaker = Speaker & { kind: 'lead' };

/** Why the loop ended. `stuck` says in `what` which facts block the run. */
export type LeadEnding =
  | { readonly why: 'finished' }
  | { readonly why: 'stuck'; readonly what: string }
  | { readonly why: 'stopped' }
  /** It can go on after a person has done what the error says. */
  | { readonly why: 'refused'; readonly error: TeamError }
  /** A limit of money or tokens was reached. */
  | { readonly why: 'spent'; readonly what: string }
  /** A person asked for the end: `teams delete`, `teams cancel`. */
  | { readonly why: 'closing'; readonly force: boolean; readonly now: boolean };

/** Environment variables for each teammate's process. */
export const teammateVariables = ({
  limits,
  quota,
  hooks,
  cutOffAfterMs,
  ...options
}: LeadOptions): Record<string, string> => ({
  [ENV.maxConsecutiveErrors]: String(limits.maxConsecutiveErrors),
  ...encodeQuota(quota),
  ...encodeHook(hooks),
  ...encodeCutOffAfter(cutOffAfterMs),
  ...agentRuleVariables(options),
});

/** Variables that apply to a teammate's agent, whether the lead or a person started the teammate. */
export const agentRuleVariables = ({
  isolation,
  lend,
  agents,
  agentSendRate,
  gates,
}: Pick<LeadOptions, 'isolation' | 'lend' | 'agents' | 'agentSendRate' | 'gates'>): Record<string, string> => ({
  ...encodeIsolation(isolation),
  ...encodeLend(lend),
  ...encodeJudging(gates),
  ...encodeAgentRules(agents),
  ...defined({ [ENV.agentSendRate]: agentSendRate === undefined ? undefined : String(agentSendRate) }),
});
