/**
 * The integration phase, after all tasks: ownership, shared files, gates, cross-verification. What these find may
 * become new tasks.
 */
import type { Plan } from '../../model/plan/plan.ts';
import type { Gate } from '../../model/run/run-state.ts';
import { fixTasks, type FixTask } from '../../policy/landing/verifier.ts';
import { checkOwnership } from './ownership-check.ts';
import { runGates } from '../landing/gates.ts';
import type { LandingQueue } from '../landing/landing-queue.ts';
import type { RunSession } from './session.ts';
import { applyShared } from './apply-shared-files.ts';
import { crossVerify } from './cross-verification.ts';
import { cwdOf, readableConfig } from '../../store/team/team-reader.ts';

/** @returns how each gate ended, and the tasks that fix what was found */
export async function integrate(
  session: RunSession,
  plan: Plan,
  signal: AbortSignal | undefined,
  landing?: LandingQueue,
): Promise<{ gates: Gate[]; fixes: readonly FixTask[] }> {
  await session.note({ phase: 'integration' });
  const ownership = landing !== undefined ? undefined : await checkOwnership(session, plan, roundOf(session), signal);
  const gates = ownership === undefined ? [] : [ownership.gate];
  if (ownership !== undefined && ownership.fixes.length > 0) {
    tell(session, gates);
    return { gates, fixes: ownership.fixes };
  }
  const shared = await applyShared(session, plan, signal, landing);
  if (shared !== undefined) gates.push(shared);
  // Each change was judged when it landed: what is left is the verdict on the last state.
  gates.push(...(await (landing?.judgeMain() ?? runGates(plan, session, cwdOf(session.store), signal))));
  const verification = plan.gates.crossVerify ? await crossVerify(plan, session, signal, landing) : undefined;
  if (verification) gates.push(verification.gate);
  tell(session, gates);
  const verifier = verification?.verifier ?? null;
  // Written with what follows at once: the end, or the fixes.
  session.know({
    gates,
    ...(verification ? { verification: { verifier, result: verification.gate.result } } : {}),
  });
  const fixes = verification?.verdict && canFix(session) ? fixTasks(verification.verdict, roundOf(session)) : [];
  return { gates, fixes };
}

function tell(session: RunSession, gates: readonly Gate[]): void {
  for (const { name, result, notes = '' } of gates)
    session.tell({ type: 'gate.ended', gate: name, result, text: notes });
}

/** Whether a member works from a prompt, so that it can fix something that is only described. */
const canFix = ({ store }: RunSession): boolean =>
  readableConfig(store)?.members.some(({ agent }) => agent && (agent.kind !== 'exec' || 'command' in agent)) ?? false;

/** The number of the next round of fixes. */
const roundOf = ({ store }: RunSession): number =>
  1 +
  [...store.board.fold().tasks.values()].reduce(
    (last, { metadata }) => Math.max(last, Number(metadata['fixRound'] ?? 0)),
    0,
  );
