/**
 * Finds changes outside their author's ownership (docs/specification.md R8.14). All members write into one working
 * directory, so a file shows when it was changed but not by whom. A change without a clear author is no stray: it is
 * listed as not judged.
 */
import { shownPath } from '../../model/text/safe-text.ts';
import type { Name } from '../../model/text/names.ts';
import { matcher } from '../file-patterns.ts';
import type { FixTask } from './verifier.ts';

export interface Edit {
  /** Relative to the working directory, with `/`. */
  readonly path: string;
  /** When it was last changed (ctime), in wall milliseconds: no tool can set it back. Absent for a deleted file. */
  readonly at?: number | undefined;
}

/** What a task lets its owner write. Without patterns it may write anything, unless it is read-only (`looks`). */
export interface WriteScope {
  readonly member: Name;
  readonly patterns: readonly string[];
  readonly looks?: boolean;
  /** When the task was worked on, in wall milliseconds. */
  readonly spans: readonly { readonly from: number; readonly to: number }[];
}

interface StrayFacts {
  readonly edits: readonly Edit[];
  readonly scopes: readonly WriteScope[];
  /** Patterns of the lead's files. */
  readonly shared: readonly string[];
  /** Files that their owner has checked since. */
  readonly settled: ReadonlySet<string>;
}

interface Stray {
  readonly path: string;
  /** The owner; undefined if no member owns the file. */
  readonly owner: Name | undefined;
  /** A clause. */
  readonly why: string;
}

/** File times have a coarser clock. A larger slack would count files that the gates write as work of a member. */
const SLACK_MS = 20;

/** A change that could have been made by others than its owner; why it cannot be told, as a clause. */
type Unjudged = Pick<Stray, 'path' | 'why'>;

interface JudgedEdits {
  readonly strays: readonly Stray[];
  readonly unjudged: readonly Unjudged[];
}

export function judgeEdits({ edits, scopes, shared, settled }: StrayFacts): JudgedEdits {
  const isShared = matcher(shared);
  const known = scopes.map((scope) => ({
    ...scope,
    isIts: matcher(scope.patterns),
    isFree: scope.patterns.length === 0 && scope.looks !== true,
  }));
  const workingAt = (at: number | undefined) =>
    known.filter(({ spans }) => at === undefined || spans.some((span) => covers(span, at)));
  const isSurely = (spans: WriteScope['spans'], at: number): boolean =>
    spans.some(({ from, to }) => at >= from && at <= to);
  const strays = edits.flatMap(({ path, at }): Stray[] => {
    const working = workingAt(at);
    // Changed while no member worked: a person or a gate changed it, or its time says nothing.
    if (settled.has(path) || working.length === 0) return [];
    const who = [...new Set(working.map(({ member }) => member))].join(' and ');
    const then = at === undefined ? '' : `; ${who} worked then`;
    if (isShared(path)) return [{ path, owner: undefined, why: `it is a shared file, the lead's own${then}` }];
    if (working.some(({ isFree }) => isFree)) return [];
    const owner = known.find(({ isIts }) => isIts(path));
    if (owner === undefined) return [{ path, owner, why: `no member owns it${then}` }];
    if (at === undefined || working.some(({ isIts }) => isIts(path))) return [];
    return [{ path, owner: owner.member, why: `it is ${owner.member}'s, and ${who} worked when it was changed` }];
  });
  const found = new Set(strays.map(({ path }) => path));
  const unjudged = edits.flatMap(({ path, at }): Unjudged[] => {
    if (found.has(path) || settled.has(path)) return [];
    const owners = new Set(known.flatMap(({ isIts, member }) => (isIts(path) ? member : [])));
    if (at === undefined) return owners.size === 0 ? [] : [{ path, why: 'it was removed, and nothing says when' }];
    const working = new Set(workingAt(at).map(({ member }) => member));
    if (working.size === 0) return [{ path, why: 'no member worked when it was changed' }];
    // A neighbour in time, whose work ended just before or began just after, is no suspect.
    const suspects = known.filter(({ spans, member }) => !owners.has(member) && isSurely(spans, at));
    const isByOwner = [...owners].some((member) => working.has(member)) && suspects.length === 0;
    const isSure = isByOwner || (owners.size === 0 && working.size === 1);
    return isSure ? [] : [{ path, why: `${inWords([...working])} worked when it was changed` }];
  });
  return { strays, unjudged };
}

const inWords = (names: readonly string[]): string =>
  names.length === 1 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;

const covers = ({ from, to }: { from: number; to: number }, at: number): boolean =>
  at >= from - SLACK_MS && at <= to + SLACK_MS;

export const strayText = (strays: readonly Stray[]): string =>
  strays.map(({ path, why }) => `${shownPath(path)}: ${why}`).join('; ');

/** Paths of one reason that are named. */
const MOST_PATHS = 5;

/** What the gate could not tell, in one sentence; undefined if it could tell everything. */
export function unjudgedText(unjudged: readonly Unjudged[]): string | undefined {
  if (unjudged.length === 0) return undefined;
  const reasons = [...new Set(unjudged.map(({ why }) => why))];
  const groups = reasons.map((reason) => {
    const list = unjudged.filter(({ why }) => why === reason);
    const more = list.length - MOST_PATHS;
    const paths = list.slice(0, MOST_PATHS).map(({ path }) => shownPath(path));
    return `${paths.join(', ')}${more > 0 ? ` and ${more} more` : ''} (${reason})`;
  });
  return `it cannot be told who changed ${unjudged.length} ${unjudged.length === 1 ? 'file' : 'files'}: ${groups.join('; ')}`;
}

/** One task for each owner whose agent accepts tasks in words. Files without an owner are only listed. */
export function strayTasks(strays: readonly Stray[], canFix: (name: Name) => boolean, round: number): FixTask[] {
  const owners = [...new Set(strays.flatMap(({ owner }) => owner ?? []))].filter(canFix);
  return owners.map((owner) => {
    const own = strays.filter((stray) => stray.owner === owner);
    const paths = own.map(({ path }) => path);
    return {
      owner,
      files: paths,
      subject: `[no-cascade] Check the changes of other members in ${paths.map(shownPath).join(', ').slice(0, 200)}`,
      description: [
        'You own these files, and they were changed while other members worked. Nothing was reverted: keep what is right, repair what is wrong.',
        '',
        ...own.map(({ path, why }) => `- ${path}: ${why}`),
      ].join('\n'),
      metadata: { type: 'implement', fixRound: round, ownership: paths },
    };
  });
}
