/** The configuration of a root, merged from all layers. */
import { configFromEnv } from '../../model/config/config-env.ts';
import { mergeConfig, type MergedConfig } from '../../model/config/config-layers.ts';
import { configLayers, mayConfigure } from '../../store/user/config-files.ts';

/** @throws UsageError `CONFIG_INVALID` */
export const loadConfig = (root: string, environment: Readonly<Record<string, string | undefined>>): MergedConfig =>
  mergeConfig([...configFromEnv(environment), ...configLayers(root, environment)]);

/**
 * The store of the teams of a project. Without one nothing of the configuration is parsed.
 *
 * @throws UsageError `CONFIG_INVALID`
 */
export const configuredStore = (
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined =>
  mayConfigure('store', root, environment) ? loadConfig(root, environment).config.store : undefined;
