/** The library's entry point to the refine loop: one call, with the configuration of the root and its defaults. */
import { requireTexts } from '../../../model/member/member-input.ts';
import process from 'node:process';
import type { AgentSpec } from '../../../model/agent/agent.ts';
import { configuredAgents } from '../../../model/config/config.ts';
import { modeOf, needsOf, type IsolationMode } from '../../../model/team/isolation.ts';
import { findRoot } from '../../../store/team/team-list.ts';
import { loadConfig } from '../../team/configuration.ts';
import { refineAt, type RefineRun } from './run-refine.ts';
import type { RefineReport } from './refine-report.ts';
import type { RefineAsk } from './refine-setup.ts';
import { sessionOptions } from '../session-options.ts';

export interface RefineOptions extends Omit<RefineAsk, 'task'>, RefineRun {
  /** The directory that holds `.teams`; by default the nearest parent with one, else the working directory. */
  readonly root?: string;
  /** The working directory of the agents; by default that of this process. */
  readonly cwd?: string;
  /** Agents that `backends` and `reviewer` may name, besides the configured ones. */
  readonly agents?: Readonly<Record<string, AgentSpec>>;
  /**
   * `trees`: each backend works in a tree of its own, all at once, and the winner lands; `apply` of the team in the
   * report brings it into the files (docs/isolation.md). By default the configuration's, where that is `trees`.
   */
  readonly isolation?: IsolationMode;
  /** Milliseconds for each call; by default the configuration's. */
  readonly relayTimeoutMs?: number;
}

/**
 * Gives a task to backends, reviews their results, and repeats until they converge or the rounds are over. The task's
 * text is not changed.
 *
 * @returns the synthesis, also of a loop that did not converge
 * @throws UsageError; AgentError `AGENT_UNAVAILABLE` with what was probed, `NO_ISOLATION`; all before anything is started
 */
export async function refine(task: string, options: RefineOptions = {}): Promise<RefineReport> {
  requireTexts({ task });
  const { env: environment } = process;
  const root = options.root ?? findRoot(process.cwd());
  const { config } = loadConfig(root, environment);
  const { inboxMaxMessages, inboxMaxBytes, lockTimeoutMs, fallback, envPass } = config;
  const isolation = {
    flag: options.isolation,
    configured: modeOf(config.isolation) ?? 'auto',
    needs: needsOf(config.isolation),
    say: () => {},
  };
  const place = {
    isolation,
    cwd: options.cwd ?? process.cwd(),
    environment,
    envPass,
    fallback,
    session: sessionOptions(config),
    open: { root, environment, lockTimeoutMs, quota: { inboxMaxMessages, inboxMaxBytes } },
    agents: new Map([...configuredAgents(config), ...Object.entries(options.agents ?? {})]),
    relayTimeoutMs: options.relayTimeoutMs ?? config.relayTimeoutMs,
  };
  return refineAt({ ...options, task }, place, options);
}
