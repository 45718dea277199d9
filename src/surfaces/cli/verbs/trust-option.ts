/** The option of verbs that act on what other machines of the user have written. */
import type { Option } from '../verb.ts';

export const TRUST: Option = {
  flags: '--trust <key>',
  what: 'in a store: a public key of yours on another machine; what it signed counts as yours here',
  many: true,
};
