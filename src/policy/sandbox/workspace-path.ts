/**
 * Which paths of a workspace the tools leave alone: what makes other programs run something (git's hooks and
 * configuration, the hosts' own), what holds keys, and the team's own files. Judged by name at every depth, whatever case
 * or Unicode form it is written in, so that a look-alike on a lenient file system is no way around.
 */

export type FileAccess = 'read' | 'write';

interface Rule {
  readonly name: string;
  readonly deeds: readonly FileAccess[];
  /** @param parts folded names, from the root of the workspace */
  readonly covers: (parts: readonly string[]) => boolean;
}

const BOTH: readonly FileAccess[] = ['read', 'write'];
const WRITE: readonly FileAccess[] = ['write'];

/** Configuration that a host reads before it asks anybody, with commands in it, and often keys. */
const HOSTS = ['.claude', '.codex', '.gemini', '.opencode'];
/** Keys by the names that programs give them, in a project as in a user's home. */
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
/** Make an editor or a host start something. */
const STARTERS = ['.mcp.json', '.vscode'];

const anywhere = (...names: readonly string[]) => {
  const known = new Set(names);
  return (parts: readonly string[]): boolean => parts.some((part) => known.has(part));
};
const isHook = (parts: readonly string[]): boolean =>
  parts.some((part, at) => part === 'hooks' && parts.slice(0, at).includes('.git'));

const RULES: readonly Rule[] = [
  { name: 'git hooks', deeds: BOTH, covers: isHook },
  { name: "git's own files", deeds: WRITE, covers: anywhere('.git') },
  { name: "the team's own files", deeds: BOTH, covers: anywhere('.teams', '.tasks') },
  { name: 'configuration of agents', deeds: BOTH, covers: anywhere(...HOSTS) },
  { name: 'keys', deeds: BOTH, covers: anywhere(...KEY_PLACES) },
  { name: 'environment files', deeds: BOTH, covers: (parts) => parts.some((part) => part.startsWith('.env')) },
  { name: 'files that start programs', deeds: WRITE, covers: anywhere(...STARTERS) },
];

/**
 * @param path relative to the root of the workspace, with `/`
 * @returns the rule that says no; undefined for yes
 */
export function protectedBy(path: string, command: FileAccess): string | undefined {
  const parts = path.split('/').map(folded);
  return RULES.find(({ deeds, covers }) => deeds.includes(command) && covers(parts))?.name;
}

/** What a wall does with a name directly in the workspace: `hidden` is empty for commands, `kept` cannot be changed. */
export function hiddenFromShell(name: string): 'hidden' | 'kept' | undefined {
  if (protectedBy(name, 'read') !== undefined) return 'hidden';
  // Commands may use git: of its files only what makes it run something is kept.
  return protectedBy(name, 'write') === undefined || folded(name) === '.git' ? undefined : 'kept';
}

/** Characters that some file systems pass over (HFS+). */
const PASSED_OVER = /[\u200b-\u200f]|[\u202a-\u202e]|[\u2060-\u206f]|[\ufe00-\ufe0f]|\ufeff/g;
/** What ends a name on others (NTFS). */
const ENDING = /[. ]+$/;

/** A name as the most lenient file system compares it. What is only dots and blanks has no shorter one. */
function folded(name: string): string {
  const plain = name.normalize('NFKC').toLowerCase().replace(PASSED_OVER, '');
  return plain.replace(ENDING, '') || plain;
}
