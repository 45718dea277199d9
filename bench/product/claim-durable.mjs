/** The board as shipped: what is completed survives a power loss. */
import { claiming } from './board.mjs';

export const { prepare, claimant } = claiming(true);
