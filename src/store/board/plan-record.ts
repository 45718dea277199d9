/** `plan.json`: the text of the plan that a team carries out, unchanged, so that a resume reads the same plan. */
import * as z from 'zod';
import { randomBytes } from 'node:crypto';
import { agentSpecSchema } from '../../model/agent/agent.ts';
import type { Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';
import { StoreError } from '../../model/text/errors.ts';

const keptSchema = z.object({
  version: z.literal(1),
  file: z.string(),
  format: z.enum(['yaml', 'json']),
  text: z.string(),
  vars: z.record(z.string(), z.string()),
  /** The agent of members for which the plan names none. */
  agent: agentSpecSchema.optional(),
  /** The agent that verifies the finished work. */
  reviewer: agentSpecSchema.optional(),
});
export type KeptPlan = Omit<z.infer<typeof keptSchema>, 'version'>;

export const keepPlan = (disk: Disk, paths: TeamPaths, plan: KeptPlan): void =>
  replaceFile(
    disk,
    paths.plan,
    `${JSON.stringify({ version: 1, ...plan }, null, 2)}\n`,
    randomBytes(6).toString('hex'),
  );

/** @throws StoreError `CORRUPT` for a plan.json that is not ours */
export function readPlanFile(disk: Disk, paths: TeamPaths): KeptPlan | undefined {
  const text = readText(disk, paths.plan);
  if (text === undefined) return undefined;
  try {
    const { version: _, ...kept } = keptSchema.parse(JSON.parse(text));
    return kept;
  } catch (error) {
    throw new StoreError('CORRUPT', `${paths.plan} cannot be read; restore it, or start the plan again with --fresh.`, {
      path: paths.plan,
      cause: error,
    });
  }
}
