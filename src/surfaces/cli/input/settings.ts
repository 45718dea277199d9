/** The configuration as this command line sees it: read once, warned about once. */
import {
  configuredAgents,
  loadConfig,
  sessionOptions,
  type AgentSpec,
  type MergedConfig,
  type OpenOptions,
  type SessionOptions,
} from '../../../index.ts';
import type { Frame } from '../context.ts';
import { rootOf } from './root.ts';

export interface Settings {
  readonly merged: MergedConfig;
  readonly agents: ReadonlyMap<string, AgentSpec>;
  /** For `Session.open` and whatever leads. */
  readonly session: SessionOptions;
  /** For `makeTeam` and `openHandle`. */
  readonly open: OpenOptions;
}

const known = new WeakMap<Frame, Settings>();

/** @throws UsageError `CONFIG_INVALID` */
export function settings(frame: Frame): Settings {
  const before = known.get(frame);
  if (before) return before;
  const made = load(frame);
  for (const warning of made.merged.warnings) frame.warn(warning);
  known.set(frame, made);
  return made;
}

function load(frame: Frame): Settings {
  const { environment } = frame.outside;
  const root = rootOf(frame);
  const merged = loadConfig(root, environment);
  const { inboxMaxMessages, inboxMaxBytes, lockTimeoutMs } = merged.config;
  const { as } = frame.flags;
  return {
    merged,
    agents: configuredAgents(merged.config),
    session: sessionOptions(merged.config),
    open: {
      ...{ root, environment, lockTimeoutMs, quota: { inboxMaxMessages, inboxMaxBytes } },
      ...(as === undefined ? {} : { as }),
    },
  };
}
