/** Carries out in the engine what processes of the machine ask of their user, over all teams. */
import type { EngineSession } from '../../store/engine/engine-session.ts';
import { answerOf, asked, unlessBehind, type Answered, type Waiting } from './relay-acts.ts';
import type { UserDay } from './user-day.ts';

/** Appends to the ledger of the user's day, and tells other machines of vendors that are called here. */
export async function spent(
  session: EngineSession,
  waiting: readonly Waiting[],
  { day, machine }: { readonly day: UserDay; readonly machine: string },
): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const one of asked(waiting, 'spending'))
    answers.push({ one, said: await unlessBehind(one.request.team, day.reserve(session, one.request.body)) });
  for (const one of asked(waiting, 'pace'))
    answers.push({ one, said: await answerOf(session.tellPace(one.request.body, machine)) });
  return answers;
}
