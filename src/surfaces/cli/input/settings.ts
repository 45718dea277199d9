/** The configuration of this command line. It is read once for each context, and its warnings are printed once. */
import {
  configuredAgents,
  loadConfig,
  sessionOptions,
  type AgentSpec,
  type MergedConfig,
  type OpenOptions,
  type SessionOptions,
} from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { projectOf, requireGivenRoot, rootOf } from './root.ts';

export interface Settings {
  readonly merged: MergedConfig;
  readonly agents: ReadonlyMap<string, AgentSpec>;
  /** For `RunSession.open` and for functions that lead a team. */
  readonly session: SessionOptions;
  /** For `makeTeam` and `openHandle`. */
  readonly open: OpenOptions;
}

const known = new WeakMap<CliContext, Settings>();

/** @throws UsageError `CONFIG_INVALID`, or `USAGE` for a given root that is missing */
export function settings(context: CliContext): Settings {
  const before = known.get(context);
  if (before) return before;
  const made = load(context);
  for (const warning of made.merged.warnings) context.warn(warning);
  known.set(context, made);
  return made;
}

function load(context: CliContext): Settings {
  const { environment } = context.io;
  const root = rootOf(context);
  requireGivenRoot(context, root);
  const merged = loadConfig(context.store === undefined ? root : projectOf(context), environment);
  const { inboxMaxMessages, inboxMaxBytes, lockTimeoutMs, approvals } = merged.config;
  const { as } = context.flags;
  return {
    merged,
    agents: configuredAgents(merged.config),
    session: sessionOptions(merged.config, context.trust),
    open: {
      root,
      environment,
      lockTimeoutMs,
      approvals,
      quota: { inboxMaxMessages, inboxMaxBytes },
      as,
      trust: context.trust,
    },
  };
}
