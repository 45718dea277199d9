/** The options of a lead's session, from the configuration. */
import type { SessionOptions } from './session.ts';
import { findAgent } from '../../model/agent/agent.ts';
import { configuredAgents, type Config } from '../../model/config/config.ts';
import type { AgentRules } from '../../model/agent/models.ts';
import { storeOptions } from '../team/team-handle.ts';

/** Reading the configuration has refused unknown names in `fallback` already. */
function agentRules(config: Config): AgentRules {
  const known = configuredAgents(config);
  const { models, defaultModel, agentStallMs: stallMs, prices, allowUnpriced } = config;
  return {
    fallback: config.fallback.flatMap((name) => findAgent(name, known) ?? []),
    models,
    defaultModel,
    stallMs,
    prices,
    allowUnpriced,
  };
}

/** The limits of supervision that a configuration sets. */
export const limitsOf = ({
  watchdogWarningMs,
  watchdogReassignMs,
  cascadeDepth,
  maxConsecutiveErrors,
  maxAgents,
}: Config): SessionOptions['limits'] => ({
  watchdogWarningMs,
  watchdogReassignMs,
  cascadeDepth,
  maxConsecutiveErrors,
  maxAgents,
});

/**
 * For an unattended run. A lead that serves a team changes `endsWhenDone`.
 *
 * @param trust public keys, as of a `TeamStore`
 */
export function sessionOptions(config: Config, trust?: readonly string[]): SessionOptions {
  const { inboxMaxMessages, inboxMaxBytes, monitorIntervalMs, shutdownTimeoutMs, lockTimeoutMs, agentSendRate } =
    config;
  return {
    limits: limitsOf(config),
    agentSendRate,
    monitorIntervalMs,
    isolation: config.sandbox.bwrap,
    lend: config.sandbox.lend,
    agents: agentRules(config),
    prices: config.prices,
    budget: [
      { how: 'default', limits: { team: config.budget } },
      { how: 'configured', limits: { day: config.perDay } },
    ],
    telemetry: config.telemetry,
    hooks: config.hooks,
    subscribers: config.subscribers,
    gates: config.gates,
    keptFileBytes: config.safetyPoint.maxFileBytes,
    unattended: true,
    endsWhenDone: true,
    shutdownTimeoutMs,
    store: storeOptions({ quota: { inboxMaxMessages, inboxMaxBytes }, lockTimeoutMs, trust }),
  };
}
