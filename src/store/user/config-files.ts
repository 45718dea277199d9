/**
 * The three configuration files (docs/specification.md R12.1), the strongest first, each with whether it may set
 * commands.
 */
import { join } from 'node:path';
import { parseConfigFile, type Layer } from '../../model/config/config-layers.ts';
import { defined } from '../../model/text/defined.ts';
import { isMap } from '../../model/text/document-problem.ts';
import { rootPaths } from '../files/paths.ts';
import { homeDirectory } from './home.ts';
import { userConfigFolder } from './own-folders.ts';
import { isTrusted, trustFile } from './trust.ts';
import { readUserFile } from './user-file.ts';

/** @throws UsageError `CONFIG_INVALID` with file, line and column */
export function configLayers(root: string, environment: Readonly<Record<string, string | undefined>>): Layer[] {
  const { config } = rootPaths(root);
  const own = join(
    userConfigFolder({ HOME: homeDirectory(), ...defined({ XDG_CONFIG_HOME: environment['XDG_CONFIG_HOME'] }) }),
    'config.yaml',
  );
  const forge = join(homeDirectory(), '.claude-forge', 'config.json');
  return [
    ...layer(config, (text) => isTrusted(config, text)),
    ...layer(own, () => true),
    ...layer(
      forge,
      () => true,
      (values) => (isMap(values) ? (values['team'] ?? {}) : {}),
    ),
  ];
}

function layer(
  file: string,
  trust: (text: string) => boolean,
  pick: (values: unknown) => unknown = (values) => values,
): Layer[] {
  const text = readUserFile(file);
  if (text === undefined) return [];
  return [{ origin: file, values: pick(parseConfigFile(text, file)), trusted: trust(text) }];
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
