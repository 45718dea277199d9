/** The configuration of a root, from every layer, and what a lead's session takes of it. */
import type { AgentSpec } from '../model/agent.ts';
import { configuredAgents, type Config } from '../model/config.ts';
import { configFromEnv } from '../model/config-env.ts';
import { mergeConfig, type Layer, type MergedConfig } from '../model/config-layers.ts';
import { configLayers } from '../store/config-files.ts';
import type { SessionOptions } from './session.ts';
import { storeOptions } from './team.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param flags what the command line sets, the strongest layer
 * @throws UsageError `CONFIG_INVALID`
 */
export const loadConfig = (root: string, environment: Environment, flags: readonly Layer[] = []): MergedConfig =>
  mergeConfig([...flags, ...configFromEnv(environment), ...configLayers(root, environment)]);

/**
 * For a run that nobody watches over: whoever serves a team changes `endsWhenDone`.
 *
 * @param environment in which other agents are looked for when one cannot work; without it none is replaced
 */
export function sessionOptions(config: Config, environment?: Environment): SessionOptions {
  const { watchdogWarningMs, watchdogReassignMs, maxConsecutiveErrors, maxAgents, inboxMaxMessages, inboxMaxBytes } =
    config;
  const { monitorIntervalMs, shutdownTimeoutMs, lockTimeoutMs, agentSendRate } = config;
  return {
    limits: { watchdogWarningMs, watchdogReassignMs, maxConsecutiveErrors, maxAgents },
    ...{ agentSendRate, monitorIntervalMs, wall: config.sandbox.bwrap },
    models: { models: config.models, defaultModel: config.defaultModel },
    spending: { prices: config.prices },
    telemetry: config.telemetry,
    hooks: config.hooks,
    gates: config.gates,
    unattended: true,
    endsWhenDone: true,
    ...(environment === undefined ? {} : { findAgents: () => others(config, environment) }),
    ...(shutdownTimeoutMs === undefined ? {} : { shutdownTimeoutMs }),
    store: storeOptions({ quota: { inboxMaxMessages, inboxMaxBytes }, lockTimeoutMs }),
  };
}

/** What is there of the configured order, now. Loaded when an agent has failed for good. */
async function others(config: Config, environment: Environment): Promise<AgentSpec[]> {
  const { availableOf } = await import('./probes.ts');
  return (await availableOf(config.fallback, configuredAgents(config), environment)).map(({ agent }) => agent);
}
