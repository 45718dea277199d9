/**
 * The three configuration files (docs/specification.md R12.1), the strongest first, each with whether it may set
 * commands.
 */
import { join } from 'node:path';
import { parseConfigFile, type Layer } from '../../model/config/config-layers.ts';
import { defined } from '../../model/text/defined.ts';
import { UsageError } from '../../model/text/errors.ts';
import { isMap } from '../../model/text/document-problem.ts';
import { rootPaths } from '../files/paths.ts';
import { homeDirectory } from './home.ts';
import { userConfigFolder } from './own-folders.ts';
import { isTrusted, trustFile } from './trust.ts';
import { readProjectFile, readUserFile, readUserText } from './user-file.ts';

interface ConfigFiles {
  readonly project: string;
  readonly own: string;
  readonly forge: string;
}

const filesOf = (root: string, environment: Readonly<Record<string, string | undefined>>): ConfigFiles => ({
  project: rootPaths(root).config,
  own: join(
    userConfigFolder({ HOME: homeDirectory(), ...defined({ XDG_CONFIG_HOME: environment['XDG_CONFIG_HOME'] }) }),
    'config.yaml',
  ),
  forge: join(homeDirectory(), '.claude-forge', 'config.json'),
});

/** @throws UsageError `CONFIG_INVALID` with file, line and column */
export function configLayers(root: string, environment: Readonly<Record<string, string | undefined>>): Layer[] {
  const { project, own, forge } = filesOf(root, environment);
  return [
    ...layer(project, (text) => isTrustedProject(project, text, root)),
    ...layer(own, () => true),
    ...layer(
      forge,
      () => true,
      (values) => (isMap(values) ? (values['team'] ?? {}) : {}),
    ),
  ];
}

/** Whether a file of the configuration may set a key: it has the word. Parses none. */
export const mayConfigure = (
  key: string,
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): boolean => {
  const { project, own, forge } = filesOf(root, environment);
  const word = new RegExp(`\\b${key}\\b`);
  return [project, own, forge].some((file) => word.test(readUserFile(file) ?? ''));
};

/**
 * A clone can bring a link to a file of the user's, and a message about a wrong value would show it.
 *
 * @throws UsageError `CONFIG_INVALID` for a link that is not trusted
 */
function isTrustedProject(file: string, text: string, root: string): boolean {
  if (isTrusted(file, text)) return true;
  if (readProjectFile(file, root) !== undefined) return false;
  throw new UsageError(
    'CONFIG_INVALID',
    `${file} is reached by a symbolic link, so it is read only if you trust it: see where it leads, then run \`teams doctor --trust\`, or remove it.`,
  );
}

function layer(
  file: string,
  trust: (text: string) => boolean,
  pick: (values: unknown) => unknown = (values) => values,
): Layer[] {
  const text = readUserText(file, 'CONFIG_INVALID');
  if (text === undefined) return [];
  const trusted = trust(text);
  return [{ origin: file, values: pick(parseConfigFile(text, file)), trusted }];
}

/**
 * Trusts the project's configuration as it is now.
 * @returns false when there is none
 */
export function trustProjectConfig(root: string): boolean {
  const { config } = rootPaths(root);
  const text = readUserFile(config);
  if (text === undefined) return false;
  trustFile(config, text);
  return true;
}

/** Whether there is a project configuration that is not trusted. */
export function isConfigUntrusted(root: string): boolean {
  const { config } = rootPaths(root);
  const text = readUserFile(config);
  return text !== undefined && !isTrusted(config, text);
}
