/** Runs the cross-verification: an agent of another vendor, or the one that the user chose, reads the finished work. */
import { joinedLend } from '../../model/team/lend.ts';
import process from 'node:process';
import { childEnvironment } from '../../agents/agent-registry.ts';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { isAgentKind } from '../../model/agent/agent-kinds.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { notEnforcedEvent } from '../../model/team/not-enforced.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Gate } from '../../model/run/run-state.ts';
import { DEFAULT_TASK_TIMEOUT_MS } from '../../model/board/task.ts';
import { readVerificationVerdict, type VerificationVerdict } from '../../model/agent/verification-verdict.ts';
import { chooseVerifier, verificationPrompt, type VerifiedTask, VERIFIERS } from '../../policy/landing/verifier.ts';
import { availabilityOf } from '../agents/availability.ts';
import type { LandingQueue } from '../landing/landing-queue.ts';
import type { RunSession } from './session.ts';
import { Subagents, type SubagentEnd } from '../tools/subagents.ts';
import { changesSince } from '../views/workspace-changes.ts';
import type { Task } from '../../model/board/task.ts';
import { readableConfig, cwdOf } from '../../store/team/team-reader.ts';

interface Verification {
  readonly gate: Gate;
  /** The kind of the verifying agent; null if none verified. */
  readonly verifier: string | null;
  readonly verdict: VerificationVerdict | undefined;
}

type Kept = Pick<RunSession, 'store' | 'isolation' | 'lend' | 'spender'>;

/** Verifies with the agent that the user chose; without one the table of docs/specification.md R8.17 chooses. */
export async function crossVerify(
  plan: Plan,
  { store, isolation, lend, spender }: Kept,
  signal: AbortSignal = new AbortController().signal,
  landing?: LandingQueue,
): Promise<Verification> {
  const done = await completedIn({ store }, signal);
  const chosen = plan.reviewer ? { do: 'verify' as const, spec: plan.reviewer } : await chooseFor(done);
  if (chosen.do === 'skip') return skipped(chosen.why);
  const prompt = verificationPrompt(
    { prompt: plan.decomposed?.task ?? plan.name, team: store.paths.name, workers: plan.members.length },
    done,
  );
  const { paths, events } = store;
  const subagents = new Subagents({
    onSpent: (event) => void events.append(event),
    spender: () => spender,
    surroundings: {
      setting: isolation,
      lend: joinedLend(lend, plan.lend),
      environment: process.env,
      team: () => [paths.folder, paths.board],
      onNotEnforced: (told) => void events.append(notEnforcedEvent(told)),
    },
  });
  try {
    const end = await subagents.run(
      {
        about: 'the cross-verifier',
        spec: chosen.spec,
        prompt,
        // A person's own command may write: that person wrote it.
        sandbox: chosen.spec.kind === 'exec' ? 'workspace-write' : 'read-only',
        timeoutMs: DEFAULT_TASK_TIMEOUT_MS,
        ...(landing === undefined ? { cwd: plan.cwd ?? cwdOf(store) } : await landing.readable()),
        env: childEnvironment(chosen.spec.kind, { parent: process.env, envPass: plan.envPass }),
      },
      signal,
    );
    return verified(chosen.spec.kind, end);
  } catch (error) {
    // Isolation is required and does not work: nothing verified the work.
    if (!isTeamError(error)) throw error;
    return verified(chosen.spec.kind, { kind: 'failed', why: 'not_installed', text: '', message: error.message });
  } finally {
    await subagents.close();
  }
}

const skipped = (why: string): Verification => ({
  gate: { name: 'crossVerify', result: 'skipped', notes: why },
  verifier: null,
  verdict: undefined,
});

/** A verifier that failed without output is a failed gate without a verdict, so that it asks for no fixes. */
function verified(verifier: string, end: SubagentEnd): Verification {
  if (end.kind === 'aborted') return skipped('the run was stopped');
  if (end.kind === 'failed' && end.text.trim() === '')
    return { gate: { name: 'crossVerify', result: 'fail', notes: end.message }, verifier, verdict: undefined };
  const verdict = readVerificationVerdict(end.text);
  const isPassed = verdict.result === 'pass' && end.kind === 'answered';
  return {
    gate: { name: 'crossVerify', result: isPassed ? 'pass' : 'fail', notes: verdict.notes },
    verifier,
    verdict: isPassed ? verdict : { ...verdict, result: 'fail' },
  };
}

async function chooseFor(
  done: readonly VerifiedTask[],
): Promise<{ do: 'verify'; spec: AgentSpec } | { do: 'skip'; why: string }> {
  const probes = VERIFIERS.map(async (kind) => [kind, await availabilityOf({ kind }, process.env)] as const);
  const found = new Map(await Promise.all(probes));
  const kinds = done.flatMap(({ routing }) => (isAgentKind(routing) ? [routing] : []));
  const choice = chooseVerifier(kinds, (vendor) => found.get(vendor)?.isAvailable === true);
  return choice.do === 'skip' ? choice : { do: 'verify', spec: { kind: choice.by } };
}

/** The completed tasks, with the role and the kind of agent that did each, and what each changed. */
async function completedIn({ store }: Pick<Kept, 'store'>, signal: AbortSignal): Promise<VerifiedTask[]> {
  const { tasks, members } = store.board.fold();
  const config = readableConfig(store);
  const done: VerifiedTask[] = [];
  for (const task of tasks.values()) {
    if (task.status !== 'completed') continue;
    const routing = config?.members.find(({ name }) => name === task.by.member)?.agent?.kind ?? 'none';
    const role = members.get(task.by.member)?.role ?? 'none';
    done.push({ task, role, routing, change: await changeOf(store, task, signal) });
  }
  return done;
}

async function changeOf(store: Kept['store'], task: Task, signal: AbortSignal): Promise<string> {
  try {
    const { text } = await changesSince(store, task, signal);
    return text === '' ? 'No file differs from the start of the run.' : text;
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return `Not known: ${error.message}`;
  }
}
