/** The least of a claim and its completion, with flushing left to the system. */
import { claiming } from './claim-base.mjs';

export const { prepare, claimant } = claiming(false);
