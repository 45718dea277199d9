/**
 * What is left to do for the trees when no member works any more. What fails here is told, and holds up nothing: the team
 * has what it landed.
 */
import type { Name } from '../../model/text/names.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { MemberTree } from '../trees/member-tree.ts';
import type { GateSession } from './gates.ts';
import { requireTrouble } from './landing-troubles.ts';
import { NOT_COPIED } from './mirror.ts';
import type { ProjectMirror } from './project-mirror.ts';
import { tearDown } from './tree-commands.ts';

interface ClosingSession extends GateSession {
  tell(event: { readonly type: string; readonly text: string; readonly member?: Name }): void;
  /** Whether a process of this member runs. */
  isRunning(name: Name): boolean;
}

/** Keeps what killed members left, runs the commands of `teardown`, and copies what is kept into the project's repository. */
export async function closeLanding(session: ClosingSession, mirror: ProjectMirror): Promise<void> {
  const { signal } = new AbortController();
  await keepRests(session, signal);
  await tearDownIdle(session);
  try {
    const trouble = await session.children.run((marker) => mirror.finish({ signal, marker }));
    if (trouble !== undefined) session.tell({ type: 'landing.failed', text: trouble });
  } catch (error) {
    session.tell({ type: 'landing.failed', text: `${NOT_COPIED}: ${requireTrouble(error).message}` });
  }
}

/** A killed member may have left work that no claim of it keeps any more. */
async function keepRests(session: ClosingSession, signal: AbortSignal): Promise<void> {
  const { store } = session;
  for (const { name } of store.board.board.members.values()) {
    try {
      if (!session.isRunning(name)) await new MemberTree(store, name).keepRest(signal);
    } catch (error) {
      session.tell({ type: 'landing.failed', member: name, text: requireTrouble(error).message });
    }
  }
}

async function tearDownIdle(session: ClosingSession): Promise<void> {
  const idle = [...session.store.board.board.members.keys()].filter((name) => !session.isRunning(name));
  try {
    await tearDown(session, ['.queue', ...idle]);
  } catch (error) {
    if (!isTeamError(error)) throw error;
    session.tell({ type: 'tree.teardown_failed', text: error.message });
  }
}
