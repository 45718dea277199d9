/**
 * Finds the refs of teams that do not exist any more: their folders, or their worktree, were removed without `teams
 * prune`. A repository may hold teams of several roots, so a ref is lost only where each place that its team may lie in
 * was looked at. (docs/decisions/013)
 */
import { isAbsolute, resolve } from 'node:path';
import type { Timestamp } from '../../model/text/clock.ts';
import { teamsAt, type TeamsAt } from '../../store/team/teams-at.ts';
import { hasRepository, repositoryAt, within } from '../process/git-place.ts';
import { GitFailure } from '../process/git-tree.ts';
import { rootIn } from '../process/safety-ref.ts';
import { deleteRefs, refsBelow, type TeamRef } from '../process/team-refs.ts';
import { isThere, worktreesOf, type Worktree } from '../process/worktrees.ts';

/** The refs of one team. */
export interface KeptRefs {
  /** Its ULID; in the only ref of earlier versions its name. */
  readonly id: string;
  readonly name: string;
  readonly keptAt: Timestamp | undefined;
  readonly refs: readonly TeamRef[];
  /** Changes landed in its trees; whether they were applied is not known any more. */
  readonly holdsWork: boolean;
}

export interface LostRefs {
  readonly lost: readonly KeptRefs[];
  /** Refs whose team was not found, but may exist. */
  readonly left: readonly (KeptRefs & { readonly why: string })[];
  /** Why the refs could not be looked at. */
  readonly problem?: string | undefined;
  /** Deletes those of a team. @returns why some stay */
  readonly remove: (one: KeptRefs) => Promise<string | undefined>;
}

/** @param root where a person asks; its repository is looked at */
export async function findLostRefs(root: string, signal: AbortSignal): Promise<LostRefs> {
  const none: LostRefs = { lost: [], left: [], remove: () => Promise.resolve(undefined) };
  if (!hasRepository(root)) return none;
  const repository = await repositoryAt({ cwd: root, signal });
  if (typeof repository === 'string') return { ...none, problem: repository };
  const where = within(repository, { signal });
  try {
    // First the refs: a team exists before its first ref.
    const all = groups(await refsBelow('refs/teams/', where));
    const search = new Search(root, all.length === 0 ? [] : await worktreesOf(repository, where));
    const judged = all.map((one) => ({ one, found: search.find(one) }));
    return {
      lost: judged.flatMap(({ one, found }) => (found === 'lost' ? [one] : [])),
      left: judged.flatMap(({ one, found }) => (typeof found === 'string' ? [] : [{ ...one, why: found.unsure }])),
      remove: ({ refs }) => deleteRefs(refs, where),
    };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return { ...none, problem: error.message };
  }
}

const OURS = /^refs\/teams\/(?:([0-9A-HJKMNP-TV-Z]{26})\/.+|([a-z0-9-]+)\/start)$/;
const SUBJECT = /^.* team ([a-z0-9-]+) (?:began|ended)$/m;

function groups(refs: readonly TeamRef[]): KeptRefs[] {
  const byId = new Map<string, TeamRef[]>();
  for (const one of refs) {
    const [, ulid, name] = OURS.exec(one.ref) ?? [];
    const id = ulid ?? name;
    if (id !== undefined) byId.set(id, [...(byId.get(id) ?? []), one]);
  }
  return [...byId].map(([id, own]) => ({
    id,
    name: own.flatMap(({ message }) => SUBJECT.exec(message)?.[1] ?? [])[0] ?? '',
    keptAt: own
      .map(({ keptAt }) => keptAt)
      .sort()
      .at(-1),
    refs: own,
    holdsWork: holdsWork(own),
  }));
}

function holdsWork(refs: readonly TeamRef[]): boolean {
  const [main, root] = ['/main', '/root'].map((end) => refs.find(({ ref }) => ref.endsWith(end))?.commit);
  return main !== undefined && main !== root;
}

type Found = 'found' | 'lost' | { readonly unsure: string };

/** Looks for teams at the roots that refs name; each root is read once. */
class Search {
  readonly #root: string;
  readonly #worktrees: readonly Worktree[];
  readonly #read = new Map<string, TeamsAt>();

  constructor(root: string, worktrees: readonly Worktree[]) {
    this.#root = resolve(root);
    this.#worktrees = worktrees;
  }

  find({ id, name, refs }: KeptRefs): Found {
    const named = [...new Set(refs.flatMap(({ message }) => rootIn(message) ?? []))];
    const roots = named.flatMap((one) => this.#worktrees.map(({ path }) => resolve(path, one)));
    const seen = [...new Set([this.#root, ...roots])].map((root) => this.#at(root));
    if (seen.some(({ ids }) => ids.has(id))) return 'found';
    if (named.length === 0) return { unsure: 'an earlier version made them; they do not say where their team lies' };
    const away = this.#worktrees.find(({ isHere }) => !isHere);
    if (away)
      return { unsure: `worktree ${away.path} is not there; if it is gone for good, run \`git worktree prune\`` };
    const missing = named.find((one) => isAbsolute(one) && !isThere(one));
    if (missing !== undefined) return { unsure: `the team's directory ${missing} is not there` };
    const closed = seen.find(({ unreadable }) => unreadable === 'all' || unreadable.has(name));
    return closed ? { unsure: `team ${name} in ${closed.root} cannot be read` } : 'lost';
  }

  #at(root: string): TeamsAt {
    const known = this.#read.get(root) ?? teamsAt(root);
    this.#read.set(root, known);
    return known;
  }
}
