/** Configuration from the environment: `maxAgents` is `TEAMS_MAX_AGENTS`, `sandbox.bwrap` is `TEAMS_SANDBOX_BWRAP`. */
import { configKeys, configSchema } from './config.ts';
import type { Layer } from './config-layers.ts';
import { nearest } from '../text/did-you-mean.ts';
import { isRuntimeVariable } from '../text/environment.ts';
import { check } from '../text/document-problem.ts';
import { jsonOf } from '../text/plain-fields.ts';

const PREFIX = 'TEAMS_';

type KeyPath = readonly [string, ...string[]];

function keyPaths(): KeyPath[] {
  const { routing, sandbox, safetyPoint, hooks, gates } = configSchema.shape;
  /** Groups whose entries are keys themselves; the other groups are maps of names. */
  const closed = { routing, sandbox, safetyPoint, hooks, gates };
  return [
    // The variable of `store` may have a password, which no file has: it is read elsewhere (`engine-address.ts`).
    ...configKeys()
      .filter((key) => key !== 'store' && !Object.hasOwn(closed, key))
      .map((key): KeyPath => [key]),
    ...Object.entries(closed).flatMap(([group, schema]) =>
      schema
        .unwrap()
        .keyof()
        .options.map((key): KeyPath => [group, key]),
    ),
  ];
}

const upperSnake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

let made: ReadonlyMap<string, KeyPath> | undefined;
/** Made at the first variable that could be one of these: most processes have none. */
const byVariable = (): ReadonlyMap<string, KeyPath> =>
  (made ??= new Map(keyPaths().map((path) => [path.map(upperSnake).join('_'), path])));

/** The variable of each key that has one, by the key's path with dots. */
export const configVariables = (): ReadonlyMap<string, string> =>
  new Map([...byVariable()].map(([variable, path]) => [path.join('.'), `${PREFIX}${variable}`]));

/**
 * One layer for each variable, so that the variable's name is the origin of its value. A text is read as the first of
 * these that the key's schema accepts: JSON, the text itself, yes or no, a list with commas. Empty variables set
 * nothing.
 */
export function configFromEnv(env: Readonly<Record<string, string | undefined>>): Layer[] {
  return Object.entries(env).flatMap(([name, text]): Layer[] => {
    if (!name.startsWith(PREFIX) || text === undefined || text === '') return [];
    const variable = name.slice(PREFIX.length);
    const path = byVariable().get(variable) ?? mistyped(variable);
    return path ? [{ origin: name, values: nest(path, valueOf(path, text)), trusted: true }] : [];
  });
}

/** A variable similar to a known one becomes an unknown key, so that the merge warns and suggests the right name. */
function mistyped(variable: string): KeyPath | undefined {
  if (isRuntimeVariable(PREFIX + variable) || nearest(variable, byVariable().keys()) === undefined) return undefined;
  return [variable.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
}

const nest = (path: KeyPath, value: unknown): unknown => path.reduceRight((inner, key) => ({ [key]: inner }), value);

const BOOLEANS = new Map([
  ...['1', 'yes', 'on'].map((word): [string, boolean] => [word, true]),
  ...['0', 'no', 'off'].map((word): [string, boolean] => [word, false]),
]);

function valueOf(path: KeyPath, text: string): unknown {
  const list = text.split(',').map((entry) => entry.trim());
  const meanings = [jsonOf(text), text, BOOLEANS.get(text.toLowerCase()), list];
  const fitting = meanings.find((value) => value !== undefined && check(configSchema, nest(path, value)).ok);
  // What is wrong inside of a map or list is told of that, not of the text.
  return fitting ?? (typeof meanings[0] === 'object' ? (meanings[0] ?? text) : text);
}
