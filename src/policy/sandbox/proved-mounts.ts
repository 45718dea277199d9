/**
 * The proof, inside of an isolation, that its mounts in the workspace are where they should be. The workspace may change
 * while bubblewrap mounts: a name that becomes a link at that moment would show another file of the user, or be mounted
 * elsewhere. So before the command starts, each name must be a mount point, and what is there must be what was seen.
 * The system's own programs look: PATH may begin with a directory of the workspace, as `npm run` makes it.
 */
interface MountedName {
  readonly path: string;
  /** Device and inode of what was seen there, as `stat -c %d:%i` prints them; absent for what comes from elsewhere. */
  readonly id?: string | undefined;
}

const SCRIPT = `left=$1; shift
is() { PATH="/usr/bin:/bin:$PATH" "$@"; }
at="
$(is cut -d ' ' -f 5 /proc/self/mountinfo)
"
while [ "$left" -gt 0 ]; do
  case "$at" in
  *"
$2
"*) ;;
  *) left=-1 ;;
  esac
  [ -z "$3" ] || [ "$(is stat -c %d:%i "$1")" = "$3" ] || left=-1
  shift 3
  left=$((left - 1))
done
[ "$left" = 0 ] && exec "$@"
echo 'teams: the workspace was changed while this command started; try again.' >&2
exit 126`;

/** @returns the argv that comes before a command */
export const provingMounts = (names: readonly MountedName[]): string[] =>
  names.length === 0
    ? []
    : [
        '/bin/sh',
        '-c',
        SCRIPT,
        'teams',
        String(names.length),
        ...names.flatMap(({ path, id = '' }) => [path, inTable(path), id]),
      ];

/** A path as the kernel's table of mounts writes it. */
const inTable = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
