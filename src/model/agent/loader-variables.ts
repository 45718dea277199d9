/**
 * Variables by which the loader of programs, or a shell, loads code. What a plan leads into the workspace counts inside of
 * an isolation only: the programs that start one run as the user, and load nothing that a member can write.
 */

type Environment = Readonly<Record<string, string>>;

const LOADS = /^(?:LD_|DYLD_|GCONV_PATH$|BASH_ENV$|BASH_FUNC_|ENV$)/;

const part = <Value>(env: Readonly<Record<string, Value>>, loads: boolean): Record<string, Value> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => LOADS.test(name) === loads));

/** Those of the variables by which code is loaded. */
export const loaderVariables = <Value>(env: Readonly<Record<string, Value>>): Record<string, Value> => part(env, true);

/** All others. */
export const withoutLoader = (env: Environment): Record<string, string> => part(env, false);

/** A command that sets these variables itself, so that whatever starts it does not have them. */
export function loadedInside(argv: readonly string[], env: Environment): readonly string[] {
  const set = Object.entries(loaderVariables(env)).map(([name, value]) => `${name}=${value}`);
  return set.length === 0 ? argv : ['/usr/bin/env', ...set, ...argv];
}
