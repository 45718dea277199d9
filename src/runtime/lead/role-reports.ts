/**
 * The lead's side of roles (docs/specification.md R10.7): which role must still report what it finished, and what
 * follows from a report. A report asks for a fast-advance. The decision is taken here, from the present board, and
 * logged.
 */
import type { Board } from '../../model/board/board.ts';
import type { Message } from '../../model/team/message.ts';
import type { Name } from '../../model/text/names.ts';
import { fastAdvance, fastAdvanceText } from '../../policy/pipeline/fast-advance.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { readableConfig } from '../../store/team/team-reader.ts';

/** The kind of mail that carries a role's final report. */
export const FINAL_REPORT = 'final_report';
/** The event that says that a report was sent; the role and every later lead read it. */
export const REPORTED = 'role.reported';

export class RoleReports {
  readonly #store: TeamStore;
  readonly #roles: ReadonlySet<Name>;
  readonly #reported = new Set<string>();
  #next = 0;

  private constructor(store: TeamStore, roles: readonly Name[]) {
    this.#store = store;
    this.#roles = new Set(roles);
  }

  /** @returns undefined for a team whose members have no role specs */
  static of(store: TeamStore): RoleReports | undefined {
    const members = readableConfig(store)?.members ?? [];
    const roles = members.flatMap(({ name, role_spec }) => (role_spec === undefined ? [] : [name]));
    return roles.length === 0 ? undefined : new RoleReports(store, roles);
  }

  has(name: Name): boolean {
    return this.#roles.has(name);
  }

  /** The roles that finished a task and have not reported it to the lead. */
  owing(board: Board): Set<Name> {
    this.#read();
    const owing = new Set<Name>();
    for (const task of board.tasks.values())
      if (task.status === 'completed' && this.#roles.has(task.by.member) && !this.#reported.has(task.id))
        owing.add(task.by.member);
    return owing;
  }

  /** Handles a final report. A task counts as finished only if the board says so, too. */
  heard(from: Name, { data = {} }: Message): void {
    if (!this.#roles.has(from)) return;
    const board = this.#store.board.fold();
    const finished = textsIn(data['tasks']).filter((id) => {
      const task = board.tasks.get(id);
      return task?.status === 'completed' && task.by.member === from;
    });
    for (const id of finished) this.#reported.add(id);
    if (data['interrupted'] === true) return;
    const decided = fastAdvance(board, { name: from, loops: data['loops'] === true, finished });
    this.#store.events.append({
      type: 'fast_advance.decided',
      member: from,
      row: decided.kind,
      tasks: finished,
      ...(decided.kind === 'successor' ? { task: decided.task, starts: decided.member } : {}),
      text: `${decided.kind}: ${fastAdvanceText(board, decided)}`,
    });
  }

  #read(): void {
    const events = this.#store.events.read(this.#next);
    for (let next = events.next(); ; next = events.next()) {
      if (next.done) {
        this.#next = next.value;
        return;
      }
      const { type, tasks } = next.value.event;
      if (type === REPORTED) for (const id of textsIn(tasks)) this.#reported.add(id);
    }
  }
}

export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
