/**
 * Members that a changed plan (`teams up`) changed or has no more. `config.json` says it, so that any lead carries it
 * out: a changed member's process is started anew, and a removed member leaves, each after its present task.
 */
import type { Board } from '../../model/board/board.ts';
import type { MemberConfig } from '../../model/team/team-config.ts';
import type { Name } from '../../model/text/names.ts';
import { lookAt } from '../../store/files/disk.ts';
import { removeBell } from '../../store/mail/bell.ts';
import { readableConfig } from '../../store/team/team-reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { shutdown } from '../../policy/mail-wording.ts';
import { authorOf, type Speaker } from '../team/authentication.ts';
import { sendMail } from '../team/send-mail.ts';
import type { LeadMemory } from './lead-memory.ts';
import type { LeadSpeaker } from './lead-options.ts';
import type { MemberProcess } from '../placement/member-process.ts';
import type { Supervisor } from './supervisor.ts';

/** Asks a member's present process to end after its task; a second request to the same process is read as one. */
export async function askToEnd(store: TeamStore, speaker: Speaker, name: Name): Promise<void> {
  const life = store.board.fold().members.get(name)?.incarnation ?? 'none';
  await sendMail(store, speaker, name, shutdown('Its plan has changed.'), {
    type: 'shutdown_request',
    data: { force: true },
    id: `changed:${life}:${name}`,
  });
}

interface ChangedMembersEnvironment {
  readonly store: TeamStore;
  readonly speaker: LeadSpeaker;
  readonly supervisor: Pick<Supervisor, 'start' | 'forget'>;
  readonly memory: Pick<LeadMemory, 'restarted'>;
}

interface ChangedMembersDoors {
  readonly lifeOf: (name: Name) => MemberProcess | undefined;
  /** Called when the configuration has changed. */
  readonly onChanged: () => void;
}

export class ChangedMembers {
  readonly #environment: ChangedMembersEnvironment;
  readonly #doors: ChangedMembersDoors;
  /** The file that was read last; a changed configuration is another file. */
  #read: number | undefined;
  #members: readonly MemberConfig[] = [];
  /** Who was asked to end its process. */
  readonly #asked = new Set<Name>();

  constructor(environment: ChangedMembersEnvironment, doors: ChangedMembersDoors) {
    this.#environment = environment;
    this.#doors = doors;
  }

  /** Asks, and goes on when the process has ended: it finishes its task and begins no other. */
  async look(board: Board): Promise<void> {
    this.#readAgain();
    for (const { name, revision, leaving } of this.#members) {
      if (board.members.get(name)?.state !== 'joined') continue;
      const life = this.#doors.lifeOf(name);
      const isAlive = life !== undefined && life.death === undefined;
      if (leaving === true) {
        if (isAlive) await this.#ask(name);
        else await this.#leave(name);
      } else if (isAlive && this.#isOlder(name, revision)) await this.#ask(name);
      else if (life?.death !== undefined && (this.#asked.has(name) || this.#isOlder(name, revision)))
        this.#startAnew(name);
    }
  }

  #readAgain(): void {
    const { store } = this.#environment;
    const ino = lookAt(store.disk, store.paths.config)?.ino;
    if (ino === this.#read) return;
    if (this.#read !== undefined) this.#doors.onChanged();
    this.#read = ino;
    const members = readableConfig(store)?.members ?? [];
    this.#members = members.filter(({ revision, leaving }) => revision !== undefined || leaving === true);
  }

  /** A worker that a person started in a terminal is not ours to start anew. */
  #isOlder(name: Name, revision: number | undefined): boolean {
    const record = this.#environment.store.roster.read(name);
    return record !== undefined && record.by_hand !== true && record.revision !== revision;
  }

  async #ask(name: Name): Promise<void> {
    if (this.#asked.has(name)) return;
    this.#asked.add(name);
    const { store, speaker } = this.#environment;
    try {
      await askToEnd(store, speaker, name);
    } catch (error) {
      this.#asked.delete(name);
      store.events.append({ type: 'message.failed', member: name, text: String(error) });
    }
  }

  #startAnew(name: Name): void {
    const { store, supervisor, memory } = this.#environment;
    this.#asked.delete(name);
    supervisor.forget(name);
    store.events.append({ type: 'member.changed', member: name, text: 'as its changed plan says' });
    memory.restarted(name);
    supervisor.start([name]);
  }

  /** What its process had claimed when it ended is free again. */
  async #leave(name: Name): Promise<void> {
    const { store, speaker, supervisor } = this.#environment;
    this.#asked.delete(name);
    supervisor.forget(name);
    removeBell(store.disk, store.paths.inbox(name).bell);
    await store.board.append(authorOf(speaker), () => ({ type: 'member.left', name, why: 'its plan has it no more' }));
  }
}
