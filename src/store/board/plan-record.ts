/**
 * `plan.json`: the text of the plan that a team carries out, unchanged, so that a resume reads the same plan. It names
 * commands (gates, agents), so it is sealed, and names its team: a file that came with a pull is not the user's.
 */
import * as z from 'zod';
import { agentSpecSchema } from '../../model/agent/agent.ts';
import type { Disk } from '../files/disk.ts';
import { readText } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';
import { StoreError } from '../../model/text/errors.ts';
import type { Document } from '../lock/document.ts';

export const planDocumentSchema = z.object({
  version: z.literal(1),
  /** The ULID of its team, and the user's seal; absent in teams of earlier versions. */
  team: z.string().optional(),
  seal: z.string().optional(),
  file: z.string(),
  format: z.enum(['yaml', 'json']),
  text: z.string(),
  vars: z.record(z.string(), z.string()),
  /** The agent of members for which the plan names none. */
  agent: agentSpecSchema.optional(),
  /** The agent that verifies the finished work. */
  reviewer: agentSpecSchema.optional(),
});
export type PlanDocument = z.infer<typeof planDocumentSchema>;
export type KeptPlan = Omit<PlanDocument, 'version' | 'team' | 'seal'>;

/** A team with its board: whose plan it is, and the document. */
interface PlanPlace {
  readonly board: { fold(): { readonly team?: { readonly id: string } | undefined } };
  readonly plan: Document<PlanDocument>;
}

export const keepPlan = ({ board, plan }: PlanPlace, kept: KeptPlan): void =>
  plan.write({ version: 1, team: board.fold().team?.id, ...kept });

/** Whether this user made it, for this team. */
export const isOwnPlan = ({ board, plan }: PlanPlace): boolean =>
  plan.isSealed() && plan.read()?.team === board.fold().team?.id;

/** Seals a plan as this user's own, as it is. */
export const trustPlan = ({ board, plan }: PlanPlace): Promise<void> =>
  plan.update((current) => ({ next: current && { ...current, team: board.fold().team?.id }, result: undefined }));

/** @throws StoreError `CORRUPT` for a plan.json that is not ours */
export function readPlanFile(disk: Disk, paths: TeamPaths): KeptPlan | undefined {
  const text = readText(disk, paths.plan);
  if (text === undefined) return undefined;
  try {
    const { version: _, team: __, seal: ___, ...kept } = planDocumentSchema.parse(JSON.parse(text));
    return kept;
  } catch (error) {
    throw new StoreError('CORRUPT', `${paths.plan} cannot be read; restore it, or start the plan again with --fresh.`, {
      path: paths.plan,
      cause: error,
    });
  }
}
