/** The vendor whose rate limits an agent uses: all agents of one vendor share a pause (docs/specification.md R7.9). */
import type { AgentKind, AgentSpec } from '../model/agent/agent.ts';

const VENDORS: Readonly<Partial<Record<AgentKind, string>>> = {
  claude: 'anthropic',
  anthropic: 'anthropic',
  codex: 'openai',
  openai: 'openai',
  gemini: 'google',
  google: 'google',
  opencode: 'opencode',
  ollama: 'ollama',
};

/** @returns undefined if the agent calls no vendor, or none that is known */
export function vendorOf({ kind, baseUrl }: AgentSpec): string | undefined {
  const usual = VENDORS[kind];
  // A gateway has limits of its own.
  return baseUrl === undefined || usual === undefined ? usual : hostOf(baseUrl);
}

const hostOf = (url: string): string => /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? url;
