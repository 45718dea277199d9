/**
 * Paths of a workspace that the tools may not touch: files that make other programs run something (git's hooks and
 * configuration, the hosts' own), places with keys, and the team's own files. Names are judged at every depth, in any
 * case and Unicode form, so that a look-alike name on a lenient file system does not pass.
 */
import { withoutEnd } from '../../model/text/repeated-characters.ts';

export type FileAccess = 'read' | 'write';

interface Rule {
  readonly name: string;
  readonly accesses: readonly FileAccess[];
  /** @param parts folded names, from the root of the workspace */
  readonly covers: (parts: readonly string[]) => boolean;
}

const BOTH: readonly FileAccess[] = ['read', 'write'];
const WRITE: readonly FileAccess[] = ['write'];

/** Names of a workspace that appear empty in every isolation. */
export const HIDDEN_NAMES: readonly string[] = ['.teams', '.tasks'];

/** Configuration that a host reads without asking; it contains commands and often keys. */
const HOSTS = ['.claude', '.codex', '.gemini', '.opencode'];
/** Places with keys, in a project and in a user's home. */
export const KEY_PLACES: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  ...HOSTS,
];
/** Files that make an editor or a host start a program. */
const STARTERS = ['.mcp.json', '.vscode', 'opencode.json', 'opencode.jsonc'];

const anywhere = (...names: readonly string[]) => {
  const known = new Set(names);
  return (parts: readonly string[]): boolean => parts.some((part) => known.has(part));
};
const isHook = (parts: readonly string[]): boolean =>
  parts.some((part, at) => part === 'hooks' && parts.slice(0, at).includes('.git'));

const RULES: readonly Rule[] = [
  { name: 'git hooks', accesses: BOTH, covers: isHook },
  { name: "git's own files", accesses: WRITE, covers: anywhere('.git') },
  { name: "the team's own files", accesses: BOTH, covers: anywhere(...HIDDEN_NAMES) },
  { name: 'configuration of agents', accesses: BOTH, covers: anywhere(...HOSTS) },
  { name: 'keys', accesses: BOTH, covers: anywhere(...KEY_PLACES) },
  { name: 'environment files', accesses: BOTH, covers: (parts) => parts.some((part) => part.startsWith('.env')) },
  { name: 'files that start programs', accesses: WRITE, covers: anywhere(...STARTERS) },
];

/**
 * @param path relative to the root of the workspace, with `/`
 * @returns the rule that forbids it; undefined if allowed
 */
export function protectedBy(path: string, access: FileAccess): string | undefined {
  const parts = path.split('/').map(folded);
  return RULES.find(({ accesses, covers }) => accesses.includes(access) && covers(parts))?.name;
}

/**
 * What shell isolation does with a name directly in the workspace: `hidden` appears empty, `kept` cannot be changed.
 */
export function hiddenFromShell(name: string): 'hidden' | 'kept' | undefined {
  if (protectedBy(name, 'read') !== undefined) return 'hidden';
  // Commands may use git: only git files that make it run a program are protected.
  return protectedBy(name, 'write') === undefined || folded(name) === '.git' ? undefined : 'kept';
}

/** Characters that some file systems ignore (HFS+). */
const PASSED_OVER = /[\u200b-\u200f]|[\u202a-\u202e]|[\u2060-\u206f]|[\ufe00-\ufe0f]|\ufeff/g;
/** Name endings that others ignore (NTFS). */
const ENDING = '. ';

/** A name as the most lenient file system compares it. A name of dots and blanks only is kept. */
function folded(name: string): string {
  const plain = name.normalize('NFKC').toLowerCase().replace(PASSED_OVER, '');
  return withoutEnd(plain, ENDING) || plain;
}
