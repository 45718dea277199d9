/** The board, with flushing left to the system, as in its yardsticks. */
import { claiming } from './board.mjs';

export const { prepare, claimant } = claiming(false);
