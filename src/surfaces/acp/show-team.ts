/** Shows a team in an editor while it is led: its board as the plan. It only reads. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { isTeamError, openForReading, realClock, teamNews, type TeamPaths } from '../../app.ts';
import { planEntries } from './plan-entries.ts';

/** Resolves when the editor has it, or is gone. */
export type TellEditor = (update: SessionUpdate) => Promise<void>;

/**
 * Sends what happens from now on until `until` aborts; what happened before the abort is still sent. If the team is
 * removed or damaged meanwhile, nothing more is shown.
 */
export async function showTeam(paths: TeamPaths, tell: TellEditor, until: AbortSignal): Promise<void> {
  const store = openForReading(paths, { clock: realClock });
  let shown = '';
  const showPlan = async (): Promise<void> => {
    const entries = planEntries(store.board.fold().tasks.values());
    const mark = JSON.stringify(entries);
    if (mark !== shown) await tell({ sessionUpdate: 'plan', entries });
    shown = mark;
  };
  try {
    await showPlan();
    for await (const _ of teamNews(store, { since: 'now', follow: true, until })) await showPlan();
  } catch (error) {
    if (!isTeamError(error)) throw error;
  } finally {
    store.close();
  }
}

/** Sends the plan of a team that nothing is waited for. */
export async function showOnce(paths: TeamPaths, tell: TellEditor): Promise<void> {
  const over = AbortSignal.abort();
  await showTeam(paths, tell, over);
}
