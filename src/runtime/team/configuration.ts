/** The configuration of a root, from every layer. */
import { configFromEnv } from '../../model/config/config-env.ts';
import { mergeConfig, type Layer, type MergedConfig } from '../../model/config/config-layers.ts';
import { configLayers } from '../../store/user/config-files.ts';

/**
 * @param flags what the command line sets, the strongest layer
 * @throws UsageError `CONFIG_INVALID`
 */
export const loadConfig = (
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  flags: readonly Layer[] = [],
): MergedConfig => mergeConfig([...flags, ...configFromEnv(environment), ...configLayers(root, environment)]);
