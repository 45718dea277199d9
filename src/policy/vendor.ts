/** The vendor whose rate limits an agent uses: all agents of one vendor share a pause (docs/specification.md R7.9). */
import type { AgentSpec } from '../model/agent/agent.ts';
import { recordOf } from '../model/agent/agent-kinds.ts';

/** @returns undefined if the agent calls no vendor, or none that is known */
export function vendorOf({ kind, baseUrl }: AgentSpec): string | undefined {
  const usual = recordOf(kind).vendor;
  // A gateway has limits of its own.
  return baseUrl === undefined || usual === undefined ? usual : hostOf(baseUrl);
}

const hostOf = (url: string): string => /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? url;
