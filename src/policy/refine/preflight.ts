/**
 * Which of the requested backends are used (docs/specification.md R9.3). A single missing backend aborts with its
 * install hint. Of several, missing ones are skipped with a warning. A backend that was not requested is never used
 * instead.
 */
import { hasToolLoop, recordOf, type AgentKind } from '../../model/agent/agent-kinds.ts';
import type { AskedBackends, Backend } from '../../model/pipeline/backend.ts';
import type { Name } from '../../model/text/names.ts';

/** The result of looking for one backend. */
export interface Probe {
  readonly isThere: boolean;
  /** What was probed and what was found, as the end of a sentence: `codex in PATH: not found`. */
  readonly seen: string;
}

export type Preflight =
  | {
      readonly go: true;
      readonly backends: readonly Backend[];
      /** Warnings, each one sentence. */
      readonly warnings: readonly string[];
      /** Requested, but not available. */
      readonly skipped: readonly { readonly backend: Backend; readonly why: string }[];
    }
  | { readonly go: false; readonly why: string };

/** How a kind is installed, for a sentence; undefined where nothing needs to be. */
function installHint(kind: AgentKind): string | undefined {
  const { install } = recordOf(kind);
  if (install === undefined) return undefined;
  return 'npm' in install ? `\`npm install -g ${install.npm}\`` : install.from;
}

/** @param probes one for each requested backend */
export function preflight({ mode, backends }: AskedBackends, probes: ReadonlyMap<Name, Probe>): Preflight {
  const probeOf = ({ name }: Backend): Probe => probes.get(name) ?? { isThere: false, seen: 'it was not probed' };
  const used = backends.filter((backend) => probeOf(backend).isThere);
  const skipped = backends
    .filter((backend) => !used.includes(backend))
    .map((backend) => ({ backend, why: probeOf(backend).seen }));
  if (used.length > 0) return { go: true, backends: used, skipped, warnings: warningsOf(mode, used, skipped) };
  const probed = ` Probed: ${backends.map((backend) => probeOf(backend).seen).join('; ')}.`;
  const [only] = backends;
  return { go: false, why: (mode === 'one' && only ? missing(only) : noneOf(backends)) + probed };
}

/** With `all`, used and skipped backends are one line; otherwise each missing backend has its own warning. */
function warningsOf(
  mode: AskedBackends['mode'],
  used: readonly Backend[],
  skipped: readonly { readonly backend: Backend; readonly why: string }[],
): string[] {
  const [names, left] = [labels(used), labels(skipped.map(({ backend }) => backend))];
  if (mode === 'all') return [`Used: ${names}. Skipped: ${left || 'none'}.`];
  return skipped.map(({ backend }) => `${backend.label} not available, proceeding with ${names} only`);
}

const labels = (backends: readonly Backend[]): string => backends.map(({ label }) => label).join(', ');

function missing({ label, agent: { kind } }: Backend): string {
  const hint = installHint(kind);
  if (hasToolLoop(kind) && hint !== undefined) return `${label} does not answer. Install and start it: ${hint}.`;
  return hint === undefined ? `${label} is not available.` : `${label} CLI not found. Install: ${hint}.`;
}

function noneOf(backends: readonly Backend[]): string {
  const hints = backends.flatMap(({ agent: { kind } }) => installHint(kind) ?? []);
  return `No backends available. Install at least one: ${hints.join(' or ')}.`;
}
