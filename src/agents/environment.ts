/**
 * The environment of a child, by allow-list (docs/specification.md R7.5): what every program needs, what the user
 * named, and the variables of that kind of agent. Keys of other agents, and `TEAMS_*` of the parent, are never passed;
 * the address of a store, which may have a password, also where the user named it.
 */
import { recordOf, type AgentKind } from '../model/agent/agent-kinds.ts';
import { ENV } from '../model/text/environment.ts';

const COMMON: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'SHELL',
  'LANG',
  'TERM',
  'TMPDIR',
  'TZ',
  'CI',
  'NO_COLOR',
]);

export interface EnvironmentSources {
  /** The environment of the process that starts the child. */
  readonly parent: Readonly<Record<string, string | undefined>>;
  /** `env:` of the plan, the member and the agent, merged. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of variables that the user allows. */
  readonly envPass?: readonly string[];
  /** Variables that the runtime sets: `TEAMS_*`, a PATH with our `bin` in front. */
  readonly add?: Readonly<Record<string, string>>;
}

/**
 * The whole environment of a child; later sources override earlier ones. The tools of an agent that runs in this
 * process use the kind `exec`: they get no key.
 */
export function childEnvironment(
  kind: AgentKind,
  { parent, env = {}, envPass = [], add = {} }: EnvironmentSources,
): Record<string, string> {
  const passed = new Set(envPass);
  const comesAlong = (name: string): boolean =>
    COMMON.has(name) ||
    name.startsWith('LC_') ||
    passed.has(name) ||
    recordOf(kind).environment.some((prefix) => name.startsWith(prefix));
  const inherited = Object.entries(parent).flatMap(([name, value]): [string, string][] =>
    value !== undefined && name !== ENV.store && comesAlong(name) ? [[name, value]] : [],
  );
  return Object.fromEntries([...inherited, ...Object.entries(env), ...Object.entries(add)]);
}
