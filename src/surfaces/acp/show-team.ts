/** Follows a team while it is led, for what an editor shows of it. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import {
  isTeamError,
  openForReading,
  realClock,
  teamNews,
  type ShownEvent,
  type TeamPaths,
  type TeamReader,
} from '../../app.ts';
import { planEntries } from './plan-entries.ts';

/** Resolves when the editor has it, or is gone. */
export type TellEditor = (update: SessionUpdate) => Promise<void>;

export interface TeamView {
  /** Called at first, and after each portion of news. */
  look(store: TeamReader, news: readonly ShownEvent[]): Promise<void>;
  /** Called once, after the last news. */
  end?(store: TeamReader): Promise<void>;
}

/**
 * Shows what happens from now on until `until` aborts; what happened before the abort is still shown. If the team is
 * removed or damaged meanwhile, nothing more is shown.
 */
export async function showTeam(paths: TeamPaths, views: readonly TeamView[], until: AbortSignal): Promise<void> {
  const store = openForReading(paths, { clock: realClock });
  const look = async (news: readonly ShownEvent[]): Promise<void> => {
    for (const view of views) await view.look(store, news);
  };
  try {
    await look([]);
    for await (const news of teamNews(store, { since: 'now', follow: true, until })) await look(news);
    for (const view of views) await view.end?.(store);
  } catch (error) {
    if (!isTeamError(error)) throw error;
  } finally {
    store.close();
  }
}

/** The board as the plan of the editor. */
export function planView(tell: TellEditor): TeamView {
  let shown = '';
  return {
    async look({ board }) {
      const entries = planEntries(board.fold().tasks.values());
      const mark = JSON.stringify(entries);
      if (mark !== shown) await tell({ sessionUpdate: 'plan', entries });
      shown = mark;
    },
  };
}
