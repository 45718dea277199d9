/** Lists and deletes the refs that teams keep in a repository. */
import { timestamp, type Timestamp } from '../../model/text/clock.ts';
import { git, type GitWhere } from './git.ts';
import { GitFailure, requireGit } from './git-tree.ts';

export interface TeamRef {
  readonly ref: string;
  readonly commit: string;
  /** When the commit was made. */
  readonly keptAt: Timestamp | undefined;
  readonly message: string;
}

const FORMAT = ['refname', 'objectname', 'committerdate:unix', 'contents'].map((field) => `%(${field})%00`).join('');
const FIELDS = 4;
/** The last time that a date can hold; git takes any number. */
const LATEST_MS = 8.64e15;

/**
 * @param below such as `refs/teams/`; also one ref
 * @throws GitFailure
 */
export async function refsBelow(below: string, where: GitWhere): Promise<TeamRef[]> {
  const listed = await git(['for-each-ref', `--format=${FORMAT}`, below], where);
  requireGit(listed, 'git for-each-ref');
  if (listed.bytes !== listed.data.length) throw new GitFailure('git for-each-ref: there are too many refs');
  const words = listed.text.split('\0');
  const refs = words.flatMap((word, at): TeamRef[] => {
    if (at % FIELDS !== 0 || at + FIELDS > words.length) return [];
    const [commit = '', seconds = '', message = ''] = words.slice(at + 1);
    const ms = Number(seconds) * 1_000;
    const keptAt = seconds === '' || ms > LATEST_MS ? undefined : timestamp(ms);
    return [{ ref: word.trimStart(), commit, keptAt, message }];
  });
  // A message with a NUL, which git does not write, would shift the fields.
  if (refs.some(({ ref, commit }) => !ref.startsWith(below) || !/^[0-9a-f]{40,64}$/.test(commit)))
    throw new GitFailure(`git for-each-ref: a commit below ${below} has a message that cannot be read`);
  return refs;
}

/**
 * Deletes refs that are still as they were listed. One that is gone is no error.
 * @returns the first that stays, and why
 */
export async function deleteRefs(refs: readonly TeamRef[], where: GitWhere): Promise<string | undefined> {
  let failed: string | undefined;
  for (const { ref, commit } of refs) {
    const { code, said } = await git(['update-ref', '-d', ref, commit], where);
    if (code === 0) continue;
    const { code: found } = await git(['rev-parse', '--verify', '--quiet', ref], where);
    if (found !== 1) failed ??= `${ref}: ${said || 'git failed'}`;
  }
  return failed;
}

/**
 * A ref that is not there yet: a copy of the team in the same repository has the same ULID and the same numbers, and may
 * hold its files under the first one.
 */
export async function unusedRef(ref: string, where: GitWhere): Promise<string> {
  for (let at = ref, next = 2; ; at = `${ref}-${next++}`) {
    const { code, said } = await git(['rev-parse', '--verify', '--quiet', at], where);
    if (code === 1) return at;
    if (code !== 0) throw new GitFailure(`git rev-parse: ${said || 'git failed'}`);
  }
}
