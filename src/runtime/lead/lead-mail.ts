/**
 * The lead's mail: handles what members and persons write to it, and sends the UNBLOCKED mail that the board causes.
 */
import type { Message } from '../../model/team/message.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { isOver } from '../../model/board/request.ts';
import type { UnblockedTask } from '../../model/past/board-past.ts';
import { unblockedBy } from '../../model/board/unblocking.ts';
import * as wording from '../../policy/mail-wording.ts';
import type { Folded } from '../../store/board/fold-line.ts';
import { isForeign } from '../../store/mail/mail-lines.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { answerBoundary } from './boundaries.ts';
import type { Mailbox } from '../tools/tool-context.ts';
import { Mailroom } from '../team/mailroom.ts';
import { sendMail } from '../team/send-mail.ts';
import type { LeadMemory } from './lead-memory.ts';
import { FINAL_REPORT } from './role-reports.ts';
import type { Speaker } from '../team/authentication.ts';

/** The lead's mail is not urgent: a longer gap takes more lines at once and leaves fewer segments. */
const MAIL_GAP_MS = 100;
/** Mail that repeats what the logs already say; it makes no event. */
const ECHOES = new Set(['task_completed', 'task_failed', 'idle', 'shutdown_response']);

interface LeadMailEnvironment {
  readonly store: TeamStore;
  readonly speaker: Speaker & { kind: 'lead' };
  readonly memory: LeadMemory;
  readonly leads: () => boolean;
  /** A model leads through {@link LeadMail.mail}: mail from others waits there until it is taken. */
  readonly readsMail: boolean;
  /** Patterns of the files that only the lead changes. */
  readonly sharedFiles: () => readonly string[];
  /** Called when a role reports what it has finished. */
  readonly onReport?: (from: Name, message: Message) => void;
  /** Called when a person asks for a member to be started. */
  readonly onSpawn: (name: Name) => void;
  /** Called when a member reports that it has nothing left to do. */
  readonly onIdle: (name: Name) => void;
  /** Called when there is news, so that the lead looks. */
  readonly onNews: () => void;
}

export class LeadMail {
  readonly #environment: LeadMailEnvironment;
  readonly #mailroom: Mailroom;
  readonly #responses = new Map<Name, { approve: boolean; text: string }>();
  readonly #unblocked: UnblockedTask[] = [];
  #closing: { force: boolean; now: boolean } | undefined;

  constructor(environment: LeadMailEnvironment) {
    const { store, leads, onNews } = environment;
    this.#environment = environment;
    this.#mailroom = new Mailroom({
      store,
      member: LEAD,
      gapMs: MAIL_GAP_MS,
      isCurrent: leads,
      handle: (message) => Promise.resolve(this.#handle(message)),
      onLook: onNews,
      onTrouble: (error) => void store.events.appendTrouble({ type: 'lead.troubled', text: String(error) }),
    });
  }

  /** The mail that waits for the model that leads. */
  readonly mail: Mailbox = {
    look: () => this.#mailroom.look(),
    waiting: () => this.#mailroom.waiting,
    take: async (max, use) => {
      await this.#mailroom.look();
      const used = use(this.#mailroom.waiting.slice(0, max));
      this.#mailroom.used(this.#mailroom.forTurn(max));
      return used;
    },
  };

  /** Answers to the shutdown request so far. */
  get responses(): ReadonlyMap<Name, { approve: boolean; text: string }> {
    return this.#responses;
  }

  /** The end of the team that a person asked for; undefined if no person did. */
  get closing(): { force: boolean; now: boolean } | undefined {
    return this.#closing;
  }

  /** A member refused to close: the team goes on. */
  stay(): void {
    this.#closing = undefined;
    this.#responses.clear();
  }

  /** Notes the tasks that an accepted event has unblocked. */
  folded({ event, outcome }: Folded): void {
    if (!outcome.ok || outcome.changed.length === 0) return;
    for (const { task, owner, blocker } of unblockedBy(this.#environment.store.board.board, outcome.changed))
      this.#unblocked.push({ task: task.id, owner, blocker: blocker.id, event: event.id });
  }

  /**
   * Called when a new lead has taken over. The earlier lead sent the UNBLOCKED mail already, except mail that it may
   * have died over: the last unblocking of a task that has not changed since. If that mail is sent twice, both lines
   * have the same id, and it is read once.
   */
  sendAgain(unblocked: Iterable<UnblockedTask>): void {
    this.#unblocked.push(...unblocked);
  }

  /** Drops waiting questions that are answered or over. */
  settle(): void {
    const { board } = this.#environment.store.board;
    if (board.requests.size > 0) this.#mailroom.drop(({ id }) => isOver(board, id));
  }

  /** Sends UNBLOCKED mail, once for each task: the mail's id contains the event that resolved the last blocker. */
  async notify(): Promise<void> {
    const { store, speaker } = this.#environment;
    for (const { task, owner, blocker, event } of this.#unblocked.splice(0)) {
      const { tasks } = store.board.board;
      const by = tasks.get(blocker);
      if (!by || tasks.get(task)?.status !== 'pending') continue;
      const options = { kind: 'unblocked', task_id: task, id: `unblocked:${event}.${task}:${owner}` };
      await sendMail(store, speaker, owner, wording.unblocked(task, by), options).catch((error: unknown) =>
        store.events.append({ type: 'message.failed', member: owner, text: String(error) }),
      );
    }
  }

  close(): Promise<void> {
    return this.#mailroom.close({ last: true });
  }

  /** @returns whether the message is used up; a message that a person must answer keeps waiting */
  #handle(message: Message): boolean {
    const { store, memory, readsMail } = this.#environment;
    const sender = [...store.board.fold().members.keys()].find((name) => name === message.sender);
    const kind = message.kind ?? message.type;
    const text = message.content.slice(0, 2_000);
    const isOwn = message.sender === LEAD && message.recipient === LEAD && !isForeign(message);
    const member = isOwn ? LEAD : sender;
    if (!ECHOES.has(kind)) store.events.append({ type: 'message.received', member, kind, text });
    if (isOwn) this.#command(message);
    if (sender === undefined) return !readsMail || message.sender === LEAD;
    const { phase } = store.board.board;
    if (message.kind === 'idle') this.#environment.onIdle(sender);
    if (message.kind === 'boundary' && !readsMail && !isForeign(message)) this.#boundary(sender, message);
    const isFarewell = message.type === 'shutdown_response' && phase !== 'open';
    if (isFarewell)
      this.#responses.set(sender, { approve: message.data?.['approve'] !== false, text: message.content });
    if (message.kind === FINAL_REPORT) this.#reported(sender, message);
    if (message.kind === 'status') memory.of(sender).answered = true;
    else if (message.kind === undefined) memory.progressed(sender);
    // A request that is over is dropped. An open request waits for a person, even if a model reads this inbox.
    const { board } = store.board;
    if (board.requests.has(message.id)) return isOver(board, message.id);
    return !readsMail || message.kind === 'status' || isFarewell;
  }

  #reported(sender: Name, message: Message): void {
    // A role that stopped because of its errors is not restarted by this lead: a person looks first. A role that waits
    // for the lead's decision is held on the board and goes on after it.
    const { interrupted, blocked } = message.data ?? {};
    if (interrupted === true && blocked !== true) this.#environment.memory.of(sender).quarantined = true;
    this.#environment.onReport?.(sender, message);
    this.#environment.onNews();
  }

  /** If no model reads the lead's mail, the lead itself decides about boundaries. */
  #boundary(asker: Name, asked: Message): void {
    const { store, speaker, sharedFiles } = this.#environment;
    answerBoundary({ store, lead: speaker, shared: sharedFiles() }, asker, asked).catch((error: unknown) =>
      store.events.append({ type: 'message.failed', member: asker, text: String(error) }),
    );
  }

  /** Commands that a person sends to the lead's process through its inbox: start a member, close the team. */
  #command({ kind, data = {} }: Message): void {
    const { store, onSpawn, onNews } = this.#environment;
    if (kind === 'close') this.#closing = { force: data['force'] === true, now: data['now'] === true };
    const member = [...store.board.fold().members.values()].find(({ name }) => name === data['member']);
    if (kind === 'spawn' && member?.state === 'joined') onSpawn(member.name);
    onNews();
  }
}
