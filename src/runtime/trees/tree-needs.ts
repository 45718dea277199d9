/**
 * Gives a tree what git does not: what it borrows of the project, and what its setup makes (docs/isolation.md). Where
 * an isolation mounts what is lent, its places are made; elsewhere it is copied.
 */
import type { TreeNeeds } from '../../model/team/isolation.ts';
import { hashText } from '../../store/board/results.ts';
import type { TreeOwner } from '../../store/files/paths.ts';
import { cwdOf } from '../../store/team/team-reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import {
  copyLent,
  isSetUp,
  lendable,
  makeLentPlaces,
  MOST_COPIED_BYTES,
  noteSetup,
} from '../../store/trees/tree-needs.ts';

/** How commands run in a tree. */
export interface TreeUse {
  /** They see what is lent by mounts of their isolation. */
  readonly isMounted: boolean;
  /** Runs the commands of its setup, one after the other. @returns how the first that failed ended */
  readonly run: (commands: readonly string[]) => Promise<FailedSetup | undefined>;
}

export interface FailedSetup {
  /** A clause. */
  readonly why: string;
  readonly output: string;
}

/** The setup of a tree did not end well. */
export class SetupFailure extends Error {
  readonly output: string;

  constructor({ why, output }: FailedSetup) {
    super(why);
    this.output = output;
  }
}

const NOTHING: TreeNeeds = { lend: [], setup: [], teardown: [] };

/** @throws StoreError `UNTRUSTED` for commands that this user did not give */
export function needsIn(store: TeamStore): TreeNeeds {
  const needs = store.config.readOwn()?.trees ?? NOTHING;
  if (needs.setup.length + needs.teardown.length > 0) store.requireTrusted();
  return needs;
}

/** What a tree borrows is no change of its member. */
export const lentIn = ({ config }: Pick<TeamStore, 'config'>): readonly string[] => config.readOwn()?.trees?.lend ?? [];

/**
 * @param from where the project's files lie on this machine
 * @throws StoreError
 */
export async function lendTo(
  store: TeamStore,
  of: TreeOwner,
  { project = cwdOf(store), isMounted }: { readonly project?: string; readonly isMounted: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { disk, paths, events } = store;
  const lend = lentIn(store);
  if (lend.length === 0) return;
  const lent = lendable(project, lend);
  makeLentPlaces(paths.tree(of), lent);
  let room = MOST_COPIED_BYTES;
  for (const { path } of isMounted ? [] : lent) {
    const copied = await copyLent(disk, paths, { project, of, path, room }, signal);
    if (copied === undefined)
      events.append({
        type: 'tree.not_lent',
        member: of,
        text: `${path} is larger than what may be copied into a tree`,
      });
    room -= copied ?? 0;
  }
}

/**
 * Runs the setup of a tree, unless it ended well before.
 *
 * @returns whether it ran
 * @throws SetupFailure
 */
export async function setUp(store: TeamStore, of: TreeOwner, run: TreeUse['run']): Promise<boolean> {
  const { disk, paths } = store;
  const { setup, teardown } = needsIn(store);
  const hash = hashText(JSON.stringify(setup));
  if (setup.length + teardown.length === 0 || isSetUp(disk, paths, of, hash)) return false;
  noteSetup(disk, paths, of);
  const failed = setup.length === 0 ? undefined : await run(setup);
  if (failed !== undefined) throw new SetupFailure(failed);
  noteSetup(disk, paths, of, hash);
  return setup.length > 0;
}
