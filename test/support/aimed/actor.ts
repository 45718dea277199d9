/** A process's view of the team under aimed kills: its store, its identity, and its history beside the store. */
import { join } from 'node:path';
import { ulid } from 'ulid';
import type { Clock } from '../../../src/model/text/clock.ts';
import { parseName, type Name } from '../../../src/model/text/names.ts';
import { createStore, type NewTeam } from '../../../src/store/team/create-store.ts';
import type { Disk } from '../../../src/store/files/disk.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { TeamStore } from '../../../src/store/team/team-store.ts';
import { realClock } from '../clock.ts';
import { unflushed } from './aim.ts';
import { History } from './history.ts';
import { noSeal } from '../no-seal.ts';
import { MEMBERS, type Actor } from './scenario.ts';

const TEAM = parseName('team', 'aimed');
const ROLE = parseName('role', 'executor');
const quota = { inboxMaxMessages: 2 ** 30, inboxMaxBytes: 2 ** 40 };

export const historyIn = (root: string): string => join(root, 'history');

export function makeTeam(root: string): void {
  const changes = MEMBERS.map((name) => ({ type: 'member.joined' as const, name, role: ROLE, prefixes: [] }));
  const team: NewTeam = { name: TEAM, profile: 'v8', claimMode: 'auto', config: { members: [] }, changes };
  const store = createStore(root, team, { clock: realClock, seal: noSeal, quota });
  store.board.close();
  store.pinned.close();
}

export function actorIn(root: string, member: Name, disk: Disk = unflushed, clock: Clock = realClock): Actor {
  const life = ulid();
  const store = new TeamStore(teamPaths(root, TEAM), { clock, disk, seal: noSeal, quota });
  return { store, member, life, history: new History(historyIn(root), life) };
}
