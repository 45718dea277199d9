/**
 * The ownership gate (docs/specification.md R8.14): compares what changed since agents began with what each member may
 * write. The baseline is the safety point if there is git, else the hashes of all files.
 */
import { resolve } from 'node:path';
import { defined } from '../../model/text/defined.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Name } from '../../model/text/names.ts';
import type { Gate } from '../../model/run/run-state.ts';
import type { TeamConfig } from '../../model/team/team-config.ts';
import {
  judgeEdits,
  strayTasks,
  strayText,
  unjudgedText,
  type Edit,
  type WriteScope,
} from '../../policy/landing/stray-edits.ts';
import { MOST_FIX_ROUNDS, type FixTask } from '../../policy/landing/verifier.ts';
import { keepHashes, keptHashes } from '../../store/workspace/baseline.ts';
import { isSameFile, lookAt } from '../../store/files/disk.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { grantsIn } from '../lead/boundaries.ts';
import { changedPaths } from '../views/workspace-changes.ts';
import { hashedFiles } from '../agents/project-files.ts';
import type { RunSession } from './session.ts';
import { workHistory } from '../views/work-history.ts';
import { readableConfig, cwdOf } from '../../store/team/team-reader.ts';

/** A task that was divided by a planner is checked if its tasks own files; a plan file asks for the gate itself. */
const isAsked = ({ gates, decomposed, tasks }: Plan): boolean =>
  gates.ownership === true || (decomposed !== undefined && tasks.some(({ work }) => work.files.length > 0));

/** Stores the hashes of all files if there is no safety point; once, before the first claim. */
export async function saveBaseline(
  session: Pick<RunSession, 'store' | 'state'>,
  plan: Plan | undefined,
  signal: AbortSignal = NEVER,
): Promise<void> {
  const { store } = session;
  if (plan === undefined || !isAsked(plan) || (await session.state())?.start !== undefined) return;
  if (keptHashes(store.disk, store.paths) !== undefined) return;
  if ([...store.board.fold().tasks.values()].some(({ claims }) => claims > 0) || signal.aborted) return;
  const files = await hashedFiles(cwdOf(store), signal);
  if (files !== undefined) keepHashes(store.disk, store.paths, files);
}

const NEVER: AbortSignal = new AbortController().signal;

interface OwnershipEnd {
  readonly gate: Gate;
  /** Tasks for the owners of files that others changed. */
  readonly fixes: readonly FixTask[];
}

/** @returns undefined if the plan does not ask for the gate */
export async function checkOwnership(
  session: Pick<RunSession, 'store' | 'state'>,
  plan: Plan,
  round: number,
  signal: AbortSignal = NEVER,
): Promise<OwnershipEnd | undefined> {
  if (!isAsked(plan)) return undefined;
  const { store } = session;
  const scopes = scopesOf(store);
  if (scopes.every(({ patterns }) => patterns.length === 0)) return skipped('no task names its own files');
  const changed = await changedSinceStart(session, signal);
  if (typeof changed === 'string') return skipped(changed);
  const edits = changed.filter((path) => !isOwnOutput(store, path)).map((path) => editOf(store, path));
  const { strays, unjudged } = judgeEdits({ edits, scopes, shared: plan.sharedFiles, settled: settledIn(store) });
  const unseen = unjudgedText(unjudged);
  if (strays.length === 0)
    return { gate: { name: 'ownership', result: 'pass', ...defined({ notes: unseen }) }, fixes: [] };
  const fixes = round > MOST_FIX_ROUNDS ? [] : strayTasks(strays, worksInWords(readableConfig(store)), round);
  return {
    gate: {
      name: 'ownership',
      result: 'fail',
      notes: [strayText(strays), ...(unseen === undefined ? [] : [unseen])].join('; '),
    },
    fixes,
  };
}

const skipped = (notes: string): OwnershipEnd => ({ gate: { name: 'ownership', result: 'skipped', notes }, fixes: [] });

/** Paths relative to the working directory, or why they are unknown. */
async function changedSinceStart(
  session: Pick<RunSession, 'store' | 'state'>,
  signal: AbortSignal,
): Promise<readonly string[] | string> {
  const { store } = session;
  const start = (await session.state())?.start;
  if (start !== undefined) return changedPaths(store, start, signal);
  const before = keptHashes(store.disk, store.paths);
  const now = before && (await hashedFiles(cwdOf(store), signal));
  if (before === undefined || now === undefined) return 'the files before the work are not known';
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((path) => before[path] !== now[path])
    .sort();
}

/** With `teams run … >run.log` this program itself writes that file. */
function isOwnOutput(store: TeamStore, path: string): boolean {
  const { disk } = store;
  const file = lookAt(disk, resolve(cwdOf(store), path));
  return file !== undefined && [1, 2].some((descriptor) => isSameFile(disk, descriptor, file));
}

function editOf(store: TeamStore, path: string): Edit {
  const { disk } = store;
  // ctime, not mtime: a writer can set mtime back and so shift the blame.
  const at = lookAt(disk, resolve(cwdOf(store), path))?.ctimeMs;
  return at === undefined ? { path } : { path, at };
}

/** Which member may write what, and when it worked on it. */
function scopesOf(store: TeamStore): WriteScope[] {
  const { board, events } = store;
  const looking = new Set(
    readableConfig(store)?.members.flatMap(({ name, sandbox }) => (sandbox === 'read-only' ? name : [])),
  );
  const { spans } = workHistory(board.log.history());
  const granted = grantsIn({ events }).map(({ member, files }) => ({
    member,
    patterns: files,
    spans: spans.filter((span) => span.member === member).map(times),
  }));
  const named = [...board.fold().tasks.values()].flatMap(
    ({ id, owner, metadata, work: { files, artifact } }): WriteScope[] => {
      const patterns = [...files, ...(artifact === undefined ? [] : [artifact])];
      const own = spans.filter(({ task }) => task === id);
      const members = new Set([...own.map(({ member }) => member), ...(owner === undefined ? [] : [owner])]);
      return [...members].map((member) => ({
        member,
        patterns,
        looks: metadata['kind'] === 'review' || looking.has(member),
        spans: own.filter((span) => span.member === member).map(times),
      }));
    },
  );
  return [...named, ...granted];
}

const times = ({ from, to }: { from: string; to: string }) => ({ from: Date.parse(from), to: Date.parse(to) });

/** Paths that their owners have checked since others changed them. */
const settledIn = ({ board }: TeamStore): Set<string> =>
  new Set(
    [...board.fold().tasks.values()].flatMap(({ status, metadata: { ownership } }) =>
      status === 'completed' && Array.isArray(ownership) ? ownership.filter((path) => typeof path === 'string') : [],
    ),
  );

const worksInWords =
  (config: TeamConfig | undefined) =>
  (name: Name): boolean => {
    const agent = config?.members.find((member) => member.name === name)?.agent;
    return agent !== undefined && (agent.kind !== 'exec' || 'command' in agent);
  };
