/** SQLite in WAL mode as it is usually run: a power loss may take the last commits. */
import { claimingRows } from './sqlite-claim-base.mjs';

export const { prepare, claimant } = claimingRows('NORMAL');
