/** The vendor whose rate limits an agent uses: all agents of one vendor share a pause (docs/specification.md R7.9). */
import type { AgentSpec } from '../model/agent/agent.ts';
import { recordOf } from '../model/agent/agent-kinds.ts';

/** @returns undefined if the agent calls no vendor, or none that is known */
export function vendorOf({ kind, baseUrl }: AgentSpec): string | undefined {
  const usual = recordOf(kind).vendor;
  // A gateway has limits of its own.
  return baseUrl === undefined || usual === undefined ? usual : hostOf(baseUrl);
}

/**
 * What a vendor counts requests by: its address and the user's key there. Agents without a key use the login of the machine's
 * user.
 *
 * @returns undefined if the agent calls no vendor, or none that is known
 */
export function credentialOf(
  spec: AgentSpec,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const vendor = vendorOf(spec);
  if (vendor === undefined) return undefined;
  const { apiKeys, login } = recordOf(spec.kind);
  const key = [...(apiKeys ?? []), ...(login?.keys ?? [])]
    .map((name) => spec.env?.[name] ?? environment[name])
    .find((value) => value !== undefined && value !== '');
  return `${vendor}\n${key ?? ''}`;
}

const hostOf = (url: string): string => /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? url;
