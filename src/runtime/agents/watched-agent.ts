/** An agent of a member, with what is looked at after each of its turns. */
import { lentLogins, type Agent } from '../../agents/agent-registry.ts';
import type { AgentKind } from '../../model/agent/agent-kinds.ts';
import type { MemberConfig, TeamConfig } from '../../model/team/team-config.ts';
import { withLendHint } from '../../policy/sandbox/program-isolation.ts';
import { agentHome } from '../../store/team/agent-home.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { workPlaceOf } from '../../store/team/work-place.ts';
import { returnLogins } from '../../store/workspace/renewed-login.ts';
import { gitSignpost } from '../../store/workspace/repositories.ts';
import type { HeldProgram } from '../isolation/open-program-isolation.ts';

type Variables = Readonly<Record<string, string | undefined>>;

interface Watched {
  readonly isolation: HeldProgram | undefined;
  /** The environment of its program. */
  readonly environment: Variables;
  readonly store: TeamStore;
  readonly config: TeamConfig;
  readonly member: MemberConfig;
  /** The environment of this process. */
  readonly parent: Variables;
}

/** The directory in which a member's program has its home; it is created if it is missing. */
export const memberHome = ({
  store: { disk, paths, board, pinned, clock },
  member: { name: member },
}: Pick<Watched, 'store' | 'member'>): string =>
  agentHome(disk, paths, {
    team: { id: board.fold().team?.id ?? '', inode: pinned.identity.ino },
    member,
    now: clock.now(),
  });

/**
 * After each turn, what the program replaced of the workspace's own links is moved aside, and a `.git` that leads
 * elsewhere is told: our git refuses it (`runtime/process/git-place.ts`). A login that it renewed goes back to the user.
 */
export function watched(
  agent: Agent,
  kind: AgentKind,
  { isolation, environment, store, config, member, parent }: Watched,
): Agent {
  const root = workPlaceOf(store.disk, store.paths, config);
  const { disk, clock } = store;
  const home = memberHome({ store, member });
  const logins = lentLogins(kind, home, environment);
  const bringBack = async (): Promise<void> => {
    try {
      for (const path of await returnLogins(logins, { home, disk, clock, environment: parent }))
        tell('agent.login_renewed', path);
    } catch (error) {
      tell('agent.login_not_returned', error instanceof Error ? error.message : String(error));
    }
  };
  const tell = (type: string, text: string): void => void store.events.append({ type, member: member.name, text });
  return {
    async *turn(input) {
      const before = gitSignpost(root);
      // What a process that was killed had renewed: at its start, a program may get a new copy.
      await bringBack();
      try {
        const end = yield* agent.turn(input);
        if (isolation === undefined || end.kind !== 'failed') return end;
        return { ...end, message: withLendHint(end.message) };
      } finally {
        for (const text of isolation?.mend() ?? []) tell('sandbox.restored', text);
        await bringBack();
        if (before !== '' && gitSignpost(root) !== before)
          tell(
            'sandbox.git_changed',
            `.git in ${root} leads elsewhere since this turn; git of ours does not follow it.`,
          );
      }
    },
    async close() {
      await agent.close();
      await bringBack();
    },
  };
}
