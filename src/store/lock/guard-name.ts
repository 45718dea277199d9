/** How the guard of a lock is called, while a breaker replaces its dead holder. */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** A name of 255 bytes is the most that a file may have; a temporary file beside it has some more. */
const LONGEST_GUARD = 150;

/**
 * The guard of a lock, or of a guard, against its dead holder. Each breaker that dies makes the next name longer: of a
 * long one the middle is a hash, the same for all who break.
 */
export function guardOf(path: string, holder: string): string {
  const guard = `${path}~${holder}`;
  if (basename(guard).length <= LONGEST_GUARD) return guard;
  const [lock = path, ...breakers] = basename(path).split('~');
  const middle = createHash('sha256').update(breakers.join('~')).digest('hex').slice(0, 16);
  return join(dirname(path), `${lock}~${middle}~${holder}`);
}
