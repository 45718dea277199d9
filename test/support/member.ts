/** A member's process as its children know it: an incarnation on the board, a token in the environment. */
import { join } from 'node:path';
import { ulid } from 'ulid';
import { ownIdentity } from '../../src/os/process-table.ts';
import { teamPaths } from '../../src/store/files/paths.ts';
import { newToken, tokenHash } from '../../src/store/team/roster.ts';
import { openSeal } from '../../src/store/user/seal.ts';
import { openStore } from '../../src/store/team/team-store.ts';
import { realDisk } from '../../src/store/files/disk.ts';
import type { Workplace } from './cli.ts';
import { realClock } from './clock.ts';
import { name } from './team.ts';

/**
 * @param claims the task that it claims
 * @returns the environment of its children
 */
export async function asMember(
  { root, environment }: Pick<Workplace, 'root' | 'environment'>,
  team: string,
  member: string,
  claims?: string,
): Promise<Record<string, string>> {
  const seal = openSeal(realDisk, join(environment['XDG_STATE_HOME'] ?? root, 'teams', 'key'));
  const store = openStore(teamPaths(root, name(team)), { clock: realClock, seal });
  const [inc, token] = [ulid(), newToken()];
  const author = { by: name(member), inc };
  store.board.appendNow(author, (board) => ({
    type: 'member.started',
    name: name(member),
    inc,
    after: board.members.get(name(member))?.incarnation ?? null,
  }));
  if (claims !== undefined)
    store.board.appendNow(author, () => ({ type: 'task.claimed', task: claims, member: name(member) }));
  store.roster.write({
    version: 1,
    name: name(member),
    phase: 'running',
    ...ownIdentity(),
    incarnation: inc,
    tokenHash: tokenHash(token),
  });
  await store.close();
  return { TEAMS_TOKEN: token, TEAMS_MEMBER: member, TEAMS_TEAM: team };
}
