/** What a scenario is, its actors, and their access to the board. */
import type { Author, Body } from '../../../src/model/board/event.ts';
import { LEAD, type Name } from '../../../src/model/text/names.ts';
import type { Folded } from '../../../src/store/board/fold-line.ts';
import type { TeamStore } from '../../../src/store/team/team-store.ts';
import { name } from '../team.ts';
import type { History } from './history.ts';

export interface Actor {
  readonly store: TeamStore;
  readonly history: History;
  /** The actor: the member that is killed, or the survivor. */
  readonly member: Name;
  readonly life: string;
}

export interface Scenario {
  /** Prepared by the survivor before the kill. */
  readonly prepare?: (actor: Actor) => Promise<unknown>;
  /** What the killed process does before it is armed. */
  readonly warm?: (actor: Actor) => unknown;
  readonly act: (actor: Actor) => Promise<unknown>;
  /** What the survivor does afterwards; by default the same. */
  readonly survive?: (actor: Actor) => Promise<unknown>;
  /** The ids of an operation that the files show. */
  readonly there: Readonly<Record<string, (store: TeamStore) => string[]>>;
}

export const HIT = name('ada');
export const SURVIVOR = name('bob');
/** The recipient, whose mail the survivor reads. */
export const SINK = name('cy');
export const MEMBERS = [HIT, SURVIVOR, SINK];

export const accepted = (store: TeamStore): Folded[] =>
  [...store.board.log.history()].filter(({ outcome }) => outcome.ok);

export const say = (store: TeamStore, author: Author, body: Body): boolean =>
  store.board.appendNow(author, () => body).outcome.ok;

/** An event of the lead, written by the person. */
export const command = (store: TeamStore, body: Body): boolean => {
  const { epoch } = store.board.fold().lead;
  return say(store, { person: LEAD, epoch }, body);
};

/** Becomes the member's current process and replaces the one before. */
export function begin({ store, member, life }: Actor): boolean {
  const after = store.board.fold().members.get(member)?.incarnation ?? null;
  if (after === life) return true;
  return say(store, { by: member, inc: life }, { type: 'member.started', name: member, inc: life, after });
}
