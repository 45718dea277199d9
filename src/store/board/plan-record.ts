/**
 * `plan.json`: the text of the plan that a team carries out, unchanged, so that a resume reads the same plan. It names
 * commands (gates, agents), so it is sealed, and names its team: a file that came with a pull is not the user's.
 */
import * as z from 'zod';
import { agentSpecSchema } from '../../model/agent/agent.ts';
import { list, removeFile, type Disk } from '../files/disk.ts';
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

interface PlanPlace {
  readonly plan: Document<PlanDocument>;
}

/** The plans that a team had, each in a file of its own. */
interface PlanHistory extends PlanPlace {
  readonly disk: Disk;
  readonly paths: TeamPaths;
  readonly earlierPlan: (number: number) => Document<PlanDocument>;
}

export const keepPlan = ({ plan }: PlanPlace, kept: KeptPlan): void => plan.write({ version: 1, ...kept });

/** Whether this user made it, for this team. */
export const isOwnPlan = ({ plan }: PlanPlace): boolean => plan.isSealed() && plan.read()?.team !== undefined;

/** @throws StoreError `CORRUPT` for a plan.json that is not ours */
export function readPlanFile(disk: Disk, paths: Pick<TeamPaths, 'plan'>): KeptPlan | undefined {
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

/** How often the plan was changed. */
function changesOf({ disk, paths }: PlanHistory): number {
  const numbers = list(disk, paths.folder).flatMap((file) => /^plan\.([1-9][0-9]{0,8})\.json$/.exec(file)?.[1] ?? []);
  return Math.max(0, ...numbers.map(Number));
}

const isSamePlanText = (one: PlanDocument | undefined, other: PlanDocument): boolean =>
  one?.text === other.text && JSON.stringify(one.vars) === JSON.stringify(other.vars);

/** Replaces the plan; the former one is kept. Nothing happens if it is the same. */
export function changePlan(place: PlanHistory, next: KeptPlan): void {
  const former = place.plan.read();
  if (former !== undefined) {
    const { version: _, team: __, seal: ___, ...kept } = former;
    if (JSON.stringify(kept) === JSON.stringify(next)) return;
    const number = changesOf(place);
    // A change that was killed has kept it already. One that is not the user's would become it by the seal.
    if (isOwnPlan(place) && (number === 0 || !isSamePlanText(place.earlierPlan(number).read(), former)))
      place.earlierPlan(number + 1).write(former);
  }
  keepPlan(place, next);
}

/**
 * The plan before the last change; undefined if it was never changed.
 *
 * @throws StoreError `UNTRUSTED` for one that is not this user's
 */
export function formerPlan(place: PlanHistory): KeptPlan | undefined {
  const number = changesOf(place);
  if (number === 0) return undefined;
  const document = place.earlierPlan(number);
  const path = place.paths.earlierPlan(number);
  const kept = readPlanFile(place.disk, { plan: path });
  if (isOwnPlan({ plan: document })) return kept;
  throw new StoreError('UNTRUSTED', `${path} is not a plan that you gave on this machine, so nothing of it is used.`, {
    path,
  });
}

/** The former plan is the plan again. */
export function restoreFormerPlan(place: PlanHistory, kept: KeptPlan): void {
  const number = changesOf(place);
  keepPlan(place, kept);
  if (number > 0) removeFile(place.disk, place.paths.earlierPlan(number));
}
