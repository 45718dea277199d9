/**
 * The shared-file step (docs/specification.md R8.16): the lead's agent applies in one turn what workers want changed in
 * shared files. What it leaves is open, and so is everything if the lead has no agent; the report lists it. If a lead
 * dies during the turn, the next lead asks again; a settled wish is not asked again.
 */
import { shownPath } from '../../model/text/safe-text.ts';
import { joinedLend } from '../../model/team/lend.ts';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { APPLIED, LEFT } from '../../model/team/shared-file.ts';
import { DEFAULT_TASK_TIMEOUT_MS } from '../../model/board/task.ts';
import type { Gate } from '../../model/run/run-state.ts';
import { matcher } from '../../policy/file-patterns.ts';
import {
  ownedByMembers,
  readSettled,
  wishesPrompt,
  type OwnedPatterns,
  type Settled,
  type SharedFileWish,
} from '../../policy/landing/shared-file-wishes.ts';
import { addWriters } from '../team/membership.ts';
import { cwdOf, type TeamReader } from '../../store/team/team-reader.ts';
import { hashedFiles } from '../agents/project-files.ts';
import { notEnforcedEvent } from '../../model/team/not-enforced.ts';
import { RelayCalls, type CallPlace } from './relay-call.ts';
import type { LandingQueue } from '../landing/landing-queue.ts';
import type { RunSession } from './session.ts';
import { sharedWishes } from '../views/collect-wishes.ts';

type Sharing = Pick<RunSession, 'store' | 'tell' | 'isolation' | 'lend' | 'spender'>;

/** @returns undefined if there are no wishes, or `signal` aborted */
export async function applyShared(
  session: Sharing,
  plan: Plan,
  signal: AbortSignal = new AbortController().signal,
  landing?: LandingQueue,
): Promise<Gate | undefined> {
  const { store } = session;
  const due = dueIn(session, plan.sharedFiles);
  const lead = plan.lead;
  const trouble = lead && due.length > 0 ? await settle(session, plan, lead, { due, signal, landing }) : undefined;
  const wishes = sharedWishes(store);
  if (wishes.length === 0 || signal.aborted) return undefined;
  const open = wishes.filter(({ settled }) => settled.kind === 'open').length;
  if (trouble !== undefined) return { name: 'shared', result: 'fail', notes: trouble };
  if (open === 0) return { name: 'shared', result: 'pass', notes: `${wishes.length} applied` };
  const why = plan.lead === undefined ? '; the lead has no agent that could apply them' : '';
  return { name: 'shared', result: 'skipped', notes: `${open} of ${wishes.length} open${why}` };
}

/**
 * The wishes that are not settled and that the lead may apply. A wish about a member's file is settled here: the lead
 * may not change that file.
 */
function dueIn(session: Pick<RunSession, 'store' | 'tell'>, shared: readonly string[]): SharedFileWish[] {
  const claimed = claimedIn(session.store);
  return sharedWishes(session.store).filter((wish) => {
    const why = wish.isSettled ? undefined : ownedByMembers(wish.file, shared, claimed);
    if (why !== undefined) tellSettled(session, wish, { kind: 'open', why });
    return !wish.isSettled && why === undefined;
  });
}

function tellSettled(
  session: Pick<RunSession, 'tell'>,
  { id, file, member, task }: SharedFileWish,
  settled: Settled,
): void {
  const about = { member, task, wish: id, file };
  if (settled.kind === 'applied') session.tell({ type: APPLIED, ...about, text: file });
  else session.tell({ type: LEFT, ...about, why: settled.why, text: `${file}: ${settled.why}` });
}

const claimedIn = ({ board }: TeamReader): OwnedPatterns[] =>
  [...board.fold().tasks.values()].flatMap(({ owner, work }) =>
    owner === undefined ? [] : [{ member: owner, patterns: work.files }],
  );

interface Asked {
  readonly due: readonly SharedFileWish[];
  readonly signal: AbortSignal;
  /** Only where members have trees of their own: then the lead's agent has one, too, and what it makes lands. */
  readonly landing: LandingQueue | undefined;
}

/**
 * Runs one turn of the lead's agent.
 *
 * @returns what went wrong; undefined if nothing did
 */
async function settle(session: Sharing, plan: Plan, agent: AgentSpec, asked: Asked): Promise<string | undefined> {
  const { landing, due } = asked;
  let answers: readonly Settled[] = [];
  const work = async (place: AgentPlace): Promise<string | undefined> => {
    const done = await turnOn(session, plan, agent, { ...asked, place });
    answers = done.answers;
    return done.why;
  };
  const why = await (landing?.landOwn('Change shared files as members wish', work) ??
    work({ cwd: cwdOf(session.store) }));
  const open: Settled = { kind: 'open', why: why ?? 'left open' };
  const isLost = landing !== undefined && why !== undefined;
  if (answers.length > 0)
    for (const [at, wish] of due.entries()) tellSettled(session, wish, isLost ? open : (answers[at] ?? open));
  return why;
}

type AgentPlace = Pick<CallPlace, 'cwd' | 'shown'>;

async function turnOn(
  session: Sharing,
  plan: Plan,
  agent: AgentSpec,
  { due, signal, place }: Asked & { readonly place: AgentPlace },
): Promise<{ readonly answers: readonly Settled[]; readonly why?: string }> {
  const { cwd } = place;
  const { store } = session;
  await addWriters(store, [agent]);
  const prompt = wishesPrompt(plan.decomposed?.task ?? plan.name, due, randomBytes(9).toString('hex'));
  const before = await hashedFiles(cwd, signal);
  const calls = new RelayCalls({
    ...place,
    environment: process.env,
    envPass: plan.envPass,
    isolation: session.isolation,
    lend: joinedLend(session.lend, plan.lend),
    team: [store.paths.folder, store.paths.board],
    onNotEnforced: (told) => session.tell(notEnforcedEvent(told)),
    spender: () => session.spender,
    onSpent: (event) => session.tell(event),
  });
  try {
    const about = "the lead's agent for shared files";
    const call = { about, agent, prompt, sandbox: 'workspace-write', timeoutMs: DEFAULT_TASK_TIMEOUT_MS } as const;
    const end = await calls.run(call, signal);
    if (end === undefined) return { answers: [] };
    if (end.kind === 'failed') return { answers: [], why: `the lead's agent failed: ${end.message}` };
    const given = readSettled(end.text, due);
    const answers = due.map((_, at): Settled => given[at] ?? { kind: 'open', why: 'left open' });
    const strays = changedOthers(before, await hashedFiles(cwd, signal), [...plan.sharedFiles, ...filesOf(due)]);
    if (strays.length === 0) return { answers };
    return { answers, why: `the lead's agent changed files that are not shared: ${strays.map(shownPath).join(', ')}` };
  } finally {
    await calls.close();
  }
}

const filesOf = (wishes: readonly SharedFileWish[]): string[] => wishes.map(({ file }) => file);

type Hashes = Awaited<ReturnType<typeof hashedFiles>>;

/** @returns the changed files that were not allowed; none if the project has too many files to compare */
function changedOthers(before: Hashes, now: Hashes, allowed: readonly string[]): string[] {
  if (before === undefined || now === undefined) return [];
  const isAllowed = matcher(allowed);
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (path) => before[path] !== now[path] && !isAllowed(path),
  );
}
