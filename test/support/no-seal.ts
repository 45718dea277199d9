/** A seal that takes everything, for tests in which the user's key has no part. */
import type { Seal } from '../../src/store/user/seal.ts';

export const noSeal: Seal = {
  sign: () => 'sealed',
  holds: () => true,
  signText: () => 'sealed',
  holdsText: () => true,
  secretFor: () => new Uint8Array(32),
};
