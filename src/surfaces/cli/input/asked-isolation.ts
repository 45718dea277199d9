/** What the option `--isolation` and the configuration say about trees, for a team that is made. */
import * as z from 'zod';
import {
  isolationModeSchema,
  modeOf,
  needsOf,
  UsageError,
  type IsolationMode,
  type PlannedFrom,
} from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { settings } from './settings.ts';

/** The option's value. */
export const isolationFlag = z
  .string()
  .optional()
  .transform((text): IsolationMode | undefined => {
    if (text === undefined) return undefined;
    const mode = isolationModeSchema.safeParse(text);
    if (mode.success) return mode.data;
    throw new UsageError(
      'USAGE',
      `Expected --isolation to be ${isolationModeSchema.options.join(', ')}; got ${JSON.stringify(text)}.`,
    );
  });

export interface IsolationFlag {
  readonly isolation?: IsolationMode | undefined;
}

export const askedIsolationOf = (context: CliContext, flags: IsolationFlag): PlannedFrom['isolation'] => ({
  flag: flags.isolation,
  ...configuredIsolation(context),
  say: (text) => context.info(text),
});

/** `isolation` of the configuration. */
export function configuredIsolation(
  context: CliContext,
): Pick<NonNullable<PlannedFrom['isolation']>, 'configured' | 'needs'> {
  const { isolation } = settings(context).merged.config;
  return { configured: modeOf(isolation) ?? 'auto', needs: needsOf(isolation) };
}
