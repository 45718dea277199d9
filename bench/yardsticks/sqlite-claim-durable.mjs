/** SQLite in WAL mode with each commit on the disk. */
import { claimingRows } from './sqlite-claim-base.mjs';

export const { prepare, claimant } = claimingRows('FULL');
