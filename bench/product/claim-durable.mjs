/** The board as shipped: a completed task survives a power loss. */
import { claiming } from './board.mjs';

export const { prepare, claimant } = claiming(true);
