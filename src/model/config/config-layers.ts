/**
 * Merges configuration layers: the first layer that sets a key wins, key by key, and in a group entry by entry. Each
 * layer is checked by itself, so that a message names the origin of a mistake.
 */
import { configSchema, contradictions, GROUPS, type Config } from './config.ts';
import { defaultConfig } from './default-config.ts';
import { UsageError } from '../text/errors.ts';
import { check, isMap, type Path } from '../text/document-problem.ts';
import { readSource } from '../text/yaml-source.ts';

export interface Layer {
  /** The name in messages: `--max-agents`, `TEAMS_MAX_AGENTS`, `.teams/config.yaml`. */
  readonly origin: string;
  readonly values: unknown;
  /**
   * An untrusted layer (from a cloned repository) only fills gaps: every trusted layer is stronger. It may set no agent,
   * command, address, environment or price, and no sandbox but `required`.
   */
  readonly trusted: boolean;
}

export interface MergedConfig {
  readonly config: Config;
  /** The origin of each key: `maxAgents`, `hooks.onFinished` → an origin, or `default`. */
  readonly origins: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

const DEFAULT_ORIGIN = 'default';

/**
 * @param layers the strongest first; an untrusted one comes after all trusted ones
 * @throws UsageError `CONFIG_INVALID` that lists every wrong value and every contradiction, one a line
 */
export function mergeConfig(layers: readonly Layer[]): MergedConfig {
  if (layers.length === 0) {
    const config = defaultConfig();
    return { config, origins: originsOf(config, () => undefined), warnings: [] };
  }
  const warnings: string[] = [];
  const chosen = new Map<string, Entry & { origin: string }>();
  const trusted = layers.filter((layer) => layer.trusted);
  for (const layer of [...trusted, ...layers.filter((one) => !one.trusted)]) {
    const clean = cleaned(layer, warnings);
    for (const entry of entriesOf(clean)) {
      const key = entry.path.join('.');
      if (!chosen.has(key)) chosen.set(key, { ...entry, origin: layer.origin });
    }
  }
  const merged = check(configSchema, assembled([...chosen.values()]));
  if (!merged.ok) throw invalid(merged.problems.map(({ text }) => text));
  const config = merged.value;
  const origins = originsOf(config, (key) => chosen.get(key)?.origin);
  const conflicts = contradictions(config).map(({ keys, text }) => {
    const culprits = keys.flatMap((key) => chosen.get(key)?.origin ?? []);
    return `${[...new Set(culprits)].join(' and ') || DEFAULT_ORIGIN}: ${text}`;
  });
  if (conflicts.length > 0) throw invalid(conflicts);
  return { config, origins, warnings };
}

const invalid = (lines: readonly string[]): UsageError => new UsageError('CONFIG_INVALID', lines.join('\n'));

/**
 * Reads a configuration file, YAML or JSON. An empty file sets nothing.
 *
 * @throws UsageError `CONFIG_INVALID` with every problem, one a line
 */
export function parseConfigFile(text: string, origin: string): unknown {
  const { value, problems } = readSource({ text, file: origin, format: 'yaml' });
  if (problems.length > 0)
    throw invalid(problems.map(({ line, col, text: why }) => `${origin}:${line}:${col}: ${why}`));
  return value ?? {};
}

/**
 * The known and allowed part of a layer. Unknown and forbidden keys are dropped with a warning; wrong values are
 * refused.
 */
function cleaned({ origin, values, trusted }: Layer, warnings: string[]): unknown {
  let clean = values;
  const leaveOut = (path: Path, why: string): void => {
    clean = without(clean, path);
    warnings.push(`${origin}: ${why}`);
  };
  if (!trusted)
    for (const path of forbidden(clean))
      leaveOut(path, `${path.join('.')} is ignored: this file is not trusted to set it.`);
  const first = check(configSchema, clean);
  if (first.ok) return clean;
  for (const { path, text } of first.problems.filter(({ atKey }) => atKey === true))
    leaveOut(path, path.length > 1 ? `${path.slice(0, -1).join('.')}: ${text}` : text);
  const second = check(configSchema, clean);
  if (!second.ok) throw invalid(second.problems.map(({ path, text }) => [origin, ...around(path), text].join(': ')));
  return clean;
}

const around = (path: Path): string[] => (path.length > 1 ? [path.slice(0, -1).join('.')] : []);

/** With these an untrusted file could run a command, send data to an address, choose who works, or switch a check off. */
const FORBIDDEN: readonly string[] = [
  'agents',
  'approvals',
  'defaultAgent',
  'enableCrossCliVerification',
  'envPass',
  'gates',
  'hooks',
  'isolation',
  'perDay',
  'prices',
  'safetyPoint',
  'store',
  'subscribers',
  'telemetry',
] satisfies (keyof Config)[];

function forbidden(values: unknown): Path[] {
  if (!isMap(values)) return [];
  const { sandbox } = values;
  const isRequired = isMap(sandbox) && sandbox['bwrap'] === 'required';
  const looser = isRequired ? Object.keys(sandbox).filter((key) => key !== 'bwrap') : [];
  return [
    ...FORBIDDEN.filter((key) => key in values).map((key) => [key]),
    ...(sandbox === undefined || isRequired ? [] : [['sandbox']]),
    ...looser.map((key) => ['sandbox', key]),
  ];
}

function without(value: unknown, [head, ...rest]: Path): unknown {
  if (!isMap(value)) return value;
  const kept = Object.entries(value).filter(([key]) => key !== head || rest.length > 0);
  return Object.fromEntries(kept.map(([key, inner]) => [key, key === head ? without(inner, rest) : inner]));
}

interface Entry {
  readonly path: readonly [string] | readonly [string, string];
  readonly value: unknown;
}

function entriesOf(values: unknown): Entry[] {
  return Object.entries(isMap(values) ? values : {}).flatMap(([key, value]): Entry[] =>
    GROUPS.has(key) && isMap(value)
      ? Object.entries(value).map(([inner, one]) => ({ path: [key, inner], value: one }))
      : [{ path: [key], value }],
  );
}

function assembled(entries: readonly Entry[]): unknown {
  const values = new Map<string, unknown>();
  for (const {
    path: [key, inner],
    value,
  } of entries) {
    const group = values.get(key);
    values.set(key, inner === undefined ? value : { ...(isMap(group) ? group : {}), [inner]: value });
  }
  return Object.fromEntries(values);
}

const originsOf = (config: Config, originOf: (key: string) => string | undefined): Map<string, string> =>
  new Map(entriesOf(config).map(({ path }) => [path.join('.'), originOf(path.join('.')) ?? DEFAULT_ORIGIN]));
