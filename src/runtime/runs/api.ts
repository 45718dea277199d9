/** The entry points of the library, `createTeam` and `openTeam`, and the `Team` that they return (docs/library.md). */
import { configSchema } from '../../model/config/config.ts';
import process from 'node:process';
import { isDone } from '../../model/board/board.ts';
import type { OpenRequest } from '../../model/board/request.ts';
import type { Task } from '../../model/board/task.ts';
import { codeOf } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import type { Message, SendOptions } from '../../model/team/message.ts';
import { watchFile } from '../../store/files/watch-file.ts';
import { closeTeam } from './close-team.ts';
import { isLed, requestSpawn } from './living-lead.ts';
import { resolveTask } from '../../model/board/task-reference.ts';
import { changesSince, type WorkspaceChanges } from '../views/workspace-changes.ts';
import { judgeTask } from '../lead/task-judgement.ts';
import type { Delivery } from '../team/send-mail.ts';
import type { MemberInput } from '../team/membership.ts';
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { reportOf } from '../views/report.ts';
import { reportText } from '../views/report-text.ts';
import { newTeam } from '../relay/new-team.ts';
import { libraryPlace, type PlaceOptions } from '../relay/library-place.ts';
import { requireMemberInput, requireTeamInput, requireTexts } from '../../model/member/member-input.ts';
import { RunSession, type SessionOptions } from './session.ts';
import { limitsOf } from './session-options.ts';
import { statusOf, type TeamStatus } from '../views/status.ts';
import type { Tasks } from '../team/task-service.ts';
import { openHandle, storeOptions, type OpenOptions, type TeamHandle, type TeamInput } from '../team/team-handle.ts';
import { teamEvents, type EventOptions } from '../views/team-events.ts';
import type { CloseResult } from '../../model/member/member-status.ts';

export interface TeamOptions extends TeamInput, Partial<Omit<OpenOptions, 'root'>>, PlaceOptions {
  /** How the lead supervises; the defaults are those of the configuration (docs/specification.md R12.1). */
  readonly supervision?: Partial<Pick<SessionOptions, 'limits' | 'monitorIntervalMs' | 'shutdownTimeoutMs'>>;
}

/** The defaults of the configuration (docs/specification.md R12.1). */
const DEFAULTS = configSchema.parse({});
const RELOOK_MS = 1_000;

/**
 * Creates a team under `root` (by default `TEAMS_ROOT`, the nearest parent with `.teams`, else the working directory): on
 * disk, or in the `store`, or in the store whose replica `root` is.
 *
 * @throws UsageError `BAD_NAME`, `USAGE` naming a field with a wrong value; ConflictError `TEAM_EXISTS`; StoreError `NO_LINK`, `READ_ONLY`, `NO_SPACE`; those of a
 *   store
 */
export async function createTeam(name: string, options: TeamOptions = {}): Promise<Team> {
  requireTexts({ name });
  requireTeamInput(options);
  return located(options, (at, isShared) =>
    newTeam(name, isShared ? { ...options, cwd: options.cwd ?? process.cwd() } : options, at),
  );
}

/**
 * Opens an existing team, whichever process leads it.
 *
 * @throws UsageError `UNKNOWN_TEAM`
 */
export async function openTeam(name: string, options: Omit<TeamOptions, keyof TeamInput> = {}): Promise<Team> {
  requireTexts({ name });
  return located(options, (at) => Promise.resolve(openHandle(name, at)));
}

async function located(
  options: Omit<TeamOptions, keyof TeamInput>,
  open: (at: OpenOptions, isShared: boolean) => Promise<TeamHandle>,
): Promise<Team> {
  const { root, relay } = await libraryPlace(options);
  const at = { ...options, root };
  try {
    return new Team(await open(at, relay !== undefined), at, { ...options, relay });
  } catch (error) {
    relay?.[Symbol.dispose]();
    throw error;
  }
}

export class Team implements AsyncDisposable {
  readonly #handle: TeamHandle;
  readonly #options: SessionOptions;
  #session: RunSession | undefined;
  #loop: Promise<unknown> | undefined;
  #signal: AbortSignal | undefined;
  /** Keeps the relay of its store. */
  readonly #relay: Disposable | undefined;

  constructor(
    handle: TeamHandle,
    at: OpenOptions,
    { supervision = {}, relay }: Pick<TeamOptions, 'supervision'> & { readonly relay?: Disposable | undefined },
  ) {
    this.#handle = handle;
    this.#relay = relay;
    this.#options = {
      store: storeOptions(at),
      limits: supervision.limits ?? limitsOf(DEFAULTS),
      monitorIntervalMs: supervision.monitorIntervalMs ?? DEFAULTS.monitorIntervalMs,
      shutdownTimeoutMs: supervision.shutdownTimeoutMs,
      unattended: true,
      endsWhenDone: false,
    };
  }

  get name(): Name {
    return this.#handle.name;
  }

  /** The team's folder. */
  get folder(): string {
    return this.#handle.paths.folder;
  }

  get board(): Tasks {
    return this.#handle.board;
  }

  /**
   * Leads the team from this process: starts every member that has an agent, all at once, and supervises them.
   *
   * @throws ConflictError `LEAD_ALIVE`; AgentError if one does not start (the others are then stopped)
   */
  async start({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const session = await RunSession.open(this.#handle.paths, this.#options);
    try {
      await session.start(session.startable(), signal);
    } catch (error) {
      await session.close();
      throw error;
    }
    this.#signal = signal;
    this.#lead(session);
  }

  #lead(session: RunSession): void {
    this.#session = session;
    // A lead that loses its team ends its loop; `done` and `stop` see that on the board.
    this.#loop = session.run(this.#signal).catch((error: unknown) => error);
  }

  /**
   * Adds a member and asks the lead to start it.
   *
   * @throws UsageError `BAD_NAME`, `USAGE` naming a field with a wrong value; ConflictError `REFUSED` without a lead, or
   *   for a name that a member has
   */
  async spawn(member: MemberInput): Promise<Name> {
    requireMemberInput(member);
    const name = await this.#handle.join(member);
    await requestSpawn(this.#handle, name);
    return name;
  }

  /**
   * Sends one message; resolves when it is on disk.
   *
   * @param to a member, or `lead`
   * @throws UsageError `UNKNOWN_RECIPIENT`, `POLICY_DENIED`; ConflictError `QUOTA`
   */
  async send(to: string, text: string, options?: SendOptions): Promise<Delivery> {
    requireTexts({ to, text });
    return this.#handle.send(to, text, options);
  }

  /**
   * Answers a question that a member asked the lead, or as a person a permission; the member then goes on.
   * {@link requests} lists the open ones.
   *
   * @param id of the request, which is the id of its mail
   * @throws UsageError `UNKNOWN_REQUEST`, `POLICY_DENIED`; ConflictError `FINAL` if it is answered or over
   */
  async answer(id: string, text: string): Promise<Delivery> {
    requireTexts({ id, text });
    return this.#handle.answer(id, text);
  }

  /** What waits for an answer: questions, plans, permissions, results without consensus, changes to review. */
  requests(): OpenRequest[] {
    return [...this.#handle.store.board.fold().open.values()];
  }

  /**
   * Decides, as a person, on the plan, the change or the result with which a task waits: see {@link requests}.
   *
   * @param task its id, key or subject
   * @param answer `text` is what the member is told; a change that goes back needs it
   * @throws ConflictError `REFUSED` if the task waits for nobody, `FINAL` if it is answered or its change has landed;
   *   UsageError `USAGE`, `UNKNOWN_TASK`
   */
  judge(task: string, { approve, text = '' }: { approve: boolean; text?: string }): Promise<Task> {
    return judgeTask(this.#handle, task, { approve, text });
  }

  /** Sends to every member: one result each. @throws UsageError `POLICY_DENIED`; ConflictError `QUOTA` */
  async broadcast(text: string, options?: SendOptions): Promise<Delivery[]> {
    requireTexts({ text });
    return this.#handle.broadcast(text, options);
  }

  /** Unread mail, without consuming it. */
  inbox(member?: string, options?: { history?: boolean }): Iterable<Message> {
    return this.#handle.inbox(member, options);
  }

  /** Events of both logs in their order, from the first; with `follow`, until `signal` aborts or the team is closed. */
  events(options?: EventOptions): AsyncGenerator<ShownEvent> {
    return teamEvents(this.#handle.store, options);
  }

  status(): TeamStatus {
    return statusOf(this.#handle.store);
  }

  /**
   * What the run changed since its safety point; with trees what landed, and of a task exactly the change that it made.
   *
   * @param task its id, key or subject
   * @returns paths relative to the working directory, and the diff as `git diff` prints it
   * @throws UsageError `USAGE` without a safety point, or for a task without a change; `UNKNOWN_TASK`
   */
  diff(
    task?: string,
    { signal = new AbortController().signal }: { signal?: AbortSignal } = {},
  ): Promise<WorkspaceChanges> {
    const { store } = this.#handle;
    return changesSince(store, task === undefined ? undefined : resolveTask(store.board.fold(), task), signal);
  }

  /**
   * Resolves when the board is not empty, every task is final and no member works.
   *
   * @throws the reason of `signal` when it aborts
   */
  async done({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const { store } = this.#handle;
    for (;;) {
      signal?.throwIfAborted();
      const woken = new AbortController();
      const watched = watchFile(store.disk, store.paths.log, () => woken.abort());
      try {
        if (isDone(store.board.fold())) return;
        await store.clock.sleep(RELOOK_MS, signal ? AbortSignal.any([signal, woken.signal]) : woken.signal);
      } finally {
        watched.close();
      }
    }
  }

  /** The report so far, in the layout of docs/specification.md R8.19. */
  async report(): Promise<string> {
    return Promise.resolve(reportText(reportOf(this.#handle.store)));
  }

  /**
   * Stops every process of this team, in order; the team stays on disk. Idempotent.
   *
   * @throws ConflictError `STILL_RUNNING` naming members that refuse, without `force`: then the team goes on
   */
  async stop({ force = true, now = false }: { force?: boolean; now?: boolean } = {}): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    this.#session = undefined;
    session.halt();
    await this.#loop;
    try {
      await session.shutDown({ force, now });
    } catch (error) {
      if (codeOf(error) === 'STILL_RUNNING') this.#lead(session);
      throw error;
    }
    await session.note({ status: 'shutdown', phase: 'complete' });
    await session.close();
  }

  /**
   * Stops and archives the team.
   *
   * @throws ConflictError `STILL_RUNNING` naming members that refuse
   */
  async delete({ force = false, now = false }: { force?: boolean; now?: boolean } = {}): Promise<CloseResult> {
    await this.stop({ force, now });
    return closeTeam(this.#handle.paths, { purpose: 'delete', force, now }, this.#options);
  }

  /** True while a process leads the team. */
  isLed(): boolean {
    return isLed(this.#handle.store);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#handle[Symbol.asyncDispose]();
    this.#relay?.[Symbol.dispose]();
  }
}
