/** The board, flushing left to the system as the yardsticks beside it do. */
import { claiming } from './board.mjs';

export const { prepare, claimant } = claiming(false);
