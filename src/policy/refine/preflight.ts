/**
 * Which of the backends that were asked for are used (S0 step 2, S1 "Preflight and Degradation Rules"): one that is
 * missing aborts with its install hint, of several the missing are left out and that is said. Nothing that was not asked
 * for ever stands in.
 */
import { hasToolLoop, recordOf, type AgentKind } from '../../model/agent/agent-kinds.ts';
import type { AskedBackends, Backend } from '../../model/pipeline/backend.ts';
import type { Name } from '../../model/text/names.ts';

/** What was found when somebody looked for a backend. */
export interface Probe {
  readonly isThere: boolean;
  /** What was probed and what was seen, as the end of a sentence: `codex in PATH: not found`. */
  readonly seen: string;
}

export type Preflight =
  | {
      readonly go: true;
      readonly backends: readonly Backend[];
      /** Warnings, each one sentence. */
      readonly warnings: readonly string[];
      /** Asked for, not there. */
      readonly skipped: readonly { readonly backend: Backend; readonly why: string }[];
    }
  | { readonly go: false; readonly why: string };

/** How a kind is installed, for a sentence; undefined where nothing needs to be. */
function installHint(kind: AgentKind): string | undefined {
  const { install } = recordOf(kind);
  if (install === undefined) return undefined;
  return 'npm' in install ? `\`npm install -g ${install.npm}\`` : install.from;
}

/** @param probes one for each backend that was asked for */
export function preflight({ mode, backends }: AskedBackends, probes: ReadonlyMap<Name, Probe>): Preflight {
  const probeOf = ({ name }: Backend): Probe => probes.get(name) ?? { isThere: false, seen: 'nobody looked' };
  const used = backends.filter((backend) => probeOf(backend).isThere);
  const skipped = backends
    .filter((backend) => !used.includes(backend))
    .map((backend) => ({ backend, why: probeOf(backend).seen }));
  if (used.length > 0) return { go: true, backends: used, skipped, warnings: warningsOf(mode, used, skipped) };
  const probed = ` Probed: ${backends.map((backend) => probeOf(backend).seen).join('; ')}.`;
  const [only] = backends;
  return { go: false, why: (mode === 'one' && only ? missing(only) : noneOf(backends)) + probed };
}

/** `used` and `skipped` are one line with `all`; otherwise each missing one is a warning of its own. */
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
