/**
 * Commits of a team in a store. The objects that are new in one are kept there as a pack of git, in pieces, below a
 * list that names them; the record which names the hash of that list comes after it. Another machine gets what it has
 * not, one list after the other, and git looks at every object before it is kept.
 */
import {
  MOST_LIST_LENGTH,
  MOST_SHARED_BYTES,
  PIECE_BYTES,
  PIECE_LENGTH,
  sharedListSchema,
  type SharedCommit,
  type SharedList,
} from '../../model/board/shared-commit.ts';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { packRefusal } from '../../store/trees/pack-sizes.ts';
import { freeRef, hasVault, makeVault, excludedIn } from '../../store/trees/vault.ts';
import { GitFailure, requireGit } from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';
import { inVault, VaultRefs, type VaultGit } from './vault.ts';
import { commitOf, moveRef } from './vault-commits.ts';

/** A small pack becomes single objects: many packs make each look of git slow. */
const SMALL_BYTES = 1024 * 1024;

/** What is asked of a team: its files here, and the texts that its store keeps. */
interface Sharing extends Pick<TeamStore, 'board' | 'clock' | 'disk' | 'paths'> {
  readonly relay: Pick<TeamStore['relay'], 'keep' | 'kept'>;
}

/** Below no refs of the team, which are copied into the project. Set when all objects are here. */
const sharedRef = (commit: string): string => `refs/shared/${commit}`;

/**
 * Puts a commit of this machine into the store.
 *
 * @param on what every reader has: its objects are left out
 * @throws GitFailure if it is too large; StoreError `ENGINE_UNREACHABLE`
 */
export async function shareCommit(
  store: Sharing,
  { commit, on }: { readonly commit: string; readonly on: SharedCommit | undefined },
  where: GitWhere,
): Promise<SharedCommit> {
  const wanted = on === undefined ? `${commit}\n` : `${commit}\n^${on.commit}\n`;
  const packed = await git(['pack-objects', '--revs', '--thin', '--stdout', '-q'], { ...where, stdin: wanted });
  requireGit(packed, 'git pack-objects');
  if (packed.data.length > MOST_SHARED_BYTES)
    throw new GitFailure(
      `it is ${Math.ceil(packed.data.length / 2 ** 20)} MiB, and the store of a team takes ${MOST_SHARED_BYTES / 2 ** 20} MiB of files at once`,
    );
  // What no other machine takes is not put there.
  const refusal = packRefusal(packed.data, hashBytesOf(commit));
  if (refusal !== undefined) throw new GitFailure(refusal);
  const pieces: string[] = [];
  for (let at = 0; at < packed.data.length; at += PIECE_BYTES)
    pieces.push(await store.relay.keep(packed.data.subarray(at, at + PIECE_BYTES).toString('base64')));
  const exclude = on === undefined ? excludedIn(store.disk, store.paths) : undefined;
  const list: SharedList = { commit, on: on ?? null, pieces, exclude };
  const bundle = await store.relay.keep(JSON.stringify(list));
  await keepAsWhole(store, commit, where);
  return { commit, bundle };
}

/**
 * Gets a commit out of the store, and what it stands on; makes the team's repository if this machine has none.
 *
 * @throws GitFailure if the store does not have it, or git does not accept it; StoreError `ENGINE_UNREACHABLE`
 */
export async function fetchCommit(store: Sharing, shared: SharedCommit, how: VaultGit): Promise<void> {
  const { disk, paths } = store;
  if (hasVault(disk, paths) && (await isWhole(shared, inVault(paths, how)))) return;
  const missing: SharedList[] = [];
  let length = 0;
  for (let next: SharedCommit | null = shared; next !== null;) {
    const { list, size }: SizedList = await listOf(store, next);
    length += size;
    if (length > MOST_LIST_LENGTH) throw new GitFailure('the lists of its commits in the store are too long');
    missing.push(list);
    next = list.on;
    if (next !== null && hasVault(disk, paths) && (await isWhole(next, inVault(paths, how)))) break;
  }
  missing.reverse();
  const [first] = missing;
  if (first !== undefined && !hasVault(disk, paths)) openEmptyVault(store, first);
  const own = inVault(paths, how);
  for (const list of missing) await unpack(store, list, own);
  if (first?.on !== null) return;
  // The first state of all: what landed is counted from it.
  const refs = new VaultRefs(store);
  freeRef(paths, refs.root);
  await moveRef(paths, refs.root, { to: first.commit }, own);
}

const hashBytesOf = (commit: string): 20 | 32 => (commit.length === 64 ? 32 : 20);

const isWhole = async ({ commit }: SharedCommit, own: GitWhere): Promise<boolean> =>
  (await commitOf(sharedRef(commit), own)) !== undefined;

async function keepAsWhole({ paths }: Sharing, commit: string, own: GitWhere): Promise<void> {
  freeRef(paths, sharedRef(commit));
  await moveRef(paths, sharedRef(commit), { to: commit }, own);
}

interface SizedList {
  readonly list: SharedList;
  /** Characters of its text. */
  readonly size: number;
}

async function listOf(store: Sharing, { commit, bundle }: SharedCommit): Promise<SizedList> {
  const text = (await store.relay.kept(bundle)) ?? '';
  const list = jsonAnswer(sharedListSchema, text);
  if (!list.ok || list.value.commit !== commit)
    throw new GitFailure(`the store of the team does not have the commit ${commit}`);
  return { list: list.value, size: text.length };
}

function openEmptyVault({ disk, paths, clock }: Sharing, { commit, exclude = '' }: SharedList): void {
  try {
    makeVault(paths, { format: commit.length === 64 ? 'sha256' : 'sha1', settings: [], exclude }, clock.now());
  } catch (error) {
    // Another member of this machine was faster.
    if (!hasVault(disk, paths)) throw error;
  }
}

async function unpack(store: Sharing, { commit, on, pieces }: SharedList, own: GitWhere): Promise<void> {
  const parts: Buffer[] = [];
  for (const piece of pieces) {
    const text = await store.relay.kept(piece);
    if (text === undefined || text.length > PIECE_LENGTH)
      throw new GitFailure(`the store of the team does not have all of the commit ${commit}`);
    parts.push(Buffer.from(text, 'base64'));
  }
  const pack = Buffer.concat(parts);
  const refusal = packRefusal(pack, hashBytesOf(commit));
  if (refusal !== undefined)
    throw new GitFailure(`the store of the team has a commit ${commit} that is not taken: ${refusal}`);
  // Both look at each object as at one of a stranger: no tree names `.git` or a path outside of it.
  const how = pack.length <= SMALL_BYTES ? ['unpack-objects', '-q'] : ['index-pack', '--stdin', '--fix-thin'];
  requireGit(await git([...how, '--strict'], { ...own, stdin: pack }), `git ${how[0]}`);
  // The pack may be that of another commit.
  const since = on === null ? [] : [`^${on.commit}`];
  requireGit(await git(['rev-list', '--objects', '--quiet', commit, ...since], own), 'git rev-list');
  await keepAsWhole(store, commit, own);
}
