/** The least of a claim and its completion, as shipped: a completed task is on the disk. */
import { claiming } from './claim-base.mjs';

export const { prepare, claimant } = claiming(true);
