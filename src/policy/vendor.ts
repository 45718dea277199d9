/** Whose limits an agent runs into: all agents of one vendor share a pause (SPEC §8). */
import type { AgentSpec } from '../model/agent/agent.ts';
import { recordOf } from '../model/agent/agent-kinds.ts';

/** @returns undefined for an agent that calls nobody, or nobody that we could know */
export function vendorOf({ kind, baseUrl }: AgentSpec): string | undefined {
  const usual = recordOf(kind).vendor;
  // A gateway has limits of its own.
  return baseUrl === undefined || usual === undefined ? usual : hostOf(baseUrl);
}

const hostOf = (url: string): string => /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? url;
