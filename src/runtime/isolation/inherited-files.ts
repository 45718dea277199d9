/**
 * Closes the files that this process has inherited open, before an isolated program starts: one of them could lead out
 * of its isolation. What this process opens by itself is closed at an `exec`.
 */
import { findProgram, pathOutside } from '../../os/program-path.ts';
import { inheritedDescriptors } from '../../store/workspace/inherited-descriptors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const CLOSE = 'for f in /proc/self/fd/*; do n=${f##*/}; [ "$n" -gt 2 ] && eval "exec $n<&-"; done; exec "$@"';

/**
 * The beginning of an argv that closes what the start would hand on; empty without bash, where {@link inheritedTrouble}
 * counts.
 *
 * A plain `sh` knows descriptors of one digit only. Bash reads `~/.bashrc` where its input is a socket, as it may be here,
 * and what `BASH_ENV` names: nothing of that may run outside, where a member could write it.
 */
export function closing(environment: Environment): string[] {
  const bash = bashOf(environment);
  return bash === undefined ? [] : [bash, '--norc', '-p', '-c', CLOSE, 'teams'];
}

const bashOf = ({ PATH = '' }: Environment): string | undefined => findProgram('bash', `${pathOutside(PATH)}:/bin`);

/** Why nothing can be isolated; undefined if nothing is inherited, or it can be closed. */
export const inheritedTrouble = (environment: Environment): string | undefined =>
  inheritedDescriptors() > 0 && bashOf(environment) === undefined
    ? 'this process has inherited open files, and there is no bash to close them'
    : undefined;
