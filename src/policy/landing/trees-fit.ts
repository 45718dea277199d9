/** Whether a plan's members can have trees of their own. */
import type { Plan } from '../../model/plan/plan.ts';

/** @returns why not, as a clause with the cure; undefined if they can, or need none */
export function treesMisfit({ isolation, gates, lead, reviewer }: Plan): string | undefined {
  if (isolation === undefined) return undefined;
  if (gates.crossVerify || reviewer !== undefined)
    return 'a verifier reads one working directory: leave `crossVerify` and `--reviewer` out';
  return lead === undefined ? undefined : "the lead's agent would write into your own files: leave `lead` out";
}
