/**
 * The board as a few plain records, written from docs/specification.md (R3.2) and not from `advance.ts`: what each
 * change must do.
 */
import type { Name } from '../../../src/model/text/names.ts';

interface PlainTask {
  status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'skipped';
  claim: { readonly member: Name; readonly life: string } | undefined;
  claims: number;
  attempts: number;
  readonly retries: number;
  readonly blockedBy: readonly string[];
}

interface PlainMember {
  isJoined: boolean;
  life: string | null;
}

export type End = 'completed' | 'failed' | 'released';

export class PlainBoard {
  readonly tasks = new Map<string, PlainTask>();
  readonly members = new Map<Name, PlainMember>();
  epoch = 0;

  create(blockedBy: readonly string[], retries: number): string {
    const id = String(this.tasks.size + 1);
    this.tasks.set(id, { status: 'pending', claim: undefined, claims: 0, attempts: 0, retries, blockedBy });
    return id;
  }

  /** @returns whether it is allowed; if so it is applied. All methods below do the same */
  claim(id: string, member: Name, life: string): boolean {
    const task = this.tasks.get(id);
    if (task === undefined || !this.#isCurrent(member, life)) return false;
    const isOwn = task.status === 'in_progress' && task.claim?.member === member && task.claim.life === life;
    if (isOwn) return true;
    const isReady = task.status === 'pending' && task.blockedBy.every((blocker) => this.#isResolved(blocker));
    if (!isReady || this.#taskOf(member)) return false;
    Object.assign(task, { status: 'in_progress', claims: task.claims + 1, claim: { member, life } });
    return true;
  }

  end(id: string, how: End, { member, life, epoch }: { member: Name; life: string; epoch: number }): boolean {
    const task = this.tasks.get(id);
    const { claim } = task ?? {};
    if (task?.status !== 'in_progress' || task.claims !== epoch || !this.#isCurrent(member, life)) return false;
    if (claim?.member !== member || claim.life !== life) return false;
    task.claim = undefined;
    if (how === 'failed') task.attempts += 1;
    if (how === 'failed') task.status = task.attempts > task.retries ? 'failed' : 'pending';
    else task.status = how === 'completed' ? 'completed' : 'pending';
    return true;
  }

  retry(id: string): boolean {
    const task = this.tasks.get(id);
    if (task?.status !== 'failed') return false;
    Object.assign(task, { status: 'pending', attempts: 0 });
    return true;
  }

  skip(id: string): boolean {
    const task = this.tasks.get(id);
    if (task === undefined || task.status === 'completed' || task.status === 'skipped') return false;
    Object.assign(task, { status: 'skipped', claim: undefined });
    return true;
  }

  lead(epoch: number): boolean {
    if (epoch !== this.epoch + 1) return false;
    this.epoch = epoch;
    return true;
  }

  /** A new incarnation replaces another and frees its claim. */
  restart(name: Name, life: string, after: string | null): boolean {
    const member = this.members.get(name);
    if (member?.isJoined !== true || member.life !== after) return false;
    member.life = life;
    this.#free(name);
    return true;
  }

  join(name: Name): boolean {
    if (this.members.get(name)?.isJoined === true) return false;
    this.members.set(name, { isJoined: true, life: null });
    return true;
  }

  leave(name: Name): boolean {
    const member = this.members.get(name);
    if (member?.isJoined !== true) return false;
    Object.assign(member, { isJoined: false, life: null });
    this.#free(name);
    return true;
  }

  #isCurrent(name: Name, life: string): boolean {
    const member = this.members.get(name);
    return member?.isJoined === true && member.life === life;
  }

  #isResolved(id: string): boolean {
    const status = this.tasks.get(id)?.status;
    return status === 'completed' || status === 'skipped';
  }

  #taskOf(name: Name): PlainTask | undefined {
    return [...this.tasks.values()].find(({ claim }) => claim?.member === name);
  }

  #free(name: Name): void {
    const task = this.#taskOf(name);
    if (task) Object.assign(task, { status: 'pending', claim: undefined });
  }
}
