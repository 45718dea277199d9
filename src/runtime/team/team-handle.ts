/**
 * A team for the public API: a handle on a directory. Command line, MCP server and web view use the same methods, in
 * any process. The process that leads also has a `RunSession`.
 */
import type { TreeNeeds } from '../../model/team/isolation.ts';
import { lendsNothing, type Lend } from '../../model/team/lend.ts';
import process from 'node:process';
import { noMember } from '../../model/text/did-you-mean.ts';
import { UsageError } from '../../model/text/errors.ts';
import type { Change, ClaimMode, Profile } from '../../model/board/event.ts';
import type { Message, SendOptions } from '../../model/team/message.ts';
import { LEAD, parseMemberName, parseName, type Name } from '../../model/text/names.ts';
import { sessionIdOf } from '../../model/pipeline/session-id.ts';
import type { FileDivision } from '../../policy/divide/preamble.ts';
import { profiles } from '../../policy/profiles.ts';
import { createStore } from '../../store/team/create-store.ts';
import { teamPaths, type TeamPaths } from '../../store/files/paths.ts';
import { archiveStamp, recoverArchive } from '../../store/team/team-list.ts';
import { openStore, type StoreOptions, type TeamStore } from '../../store/team/team-store.ts';
import type { Quota } from '../../store/mail/sender.ts';
import { realClock } from '../../os/system-clock.ts';
import { mailOf } from '../views/follow.ts';
import { broadcastMail, sendMail, type Delivery } from './send-mail.ts';
import { joinTeam, memberConfig, pipelineMember, type MemberInput } from './membership.ts';
import { answerPermission, askerOf } from './requests.ts';
import { sendRateFrom, type SendRate } from './send-rate.ts';
import { authenticate, authorOf, type Speaker } from './authentication.ts';
import { takeMail } from './take-mail.ts';
import { refusalError, Tasks } from './task-service.ts';
import { starterIn } from '../process/starter.ts';
import { ENV } from '../../model/text/environment.ts';

export interface TeamInput {
  readonly profile?: Profile | undefined;
  readonly claimMode?: ClaimMode;
  readonly members?: readonly MemberInput[];
  readonly cwd?: string | undefined;
  readonly planDir?: string;
  readonly envPass?: readonly string[];
  readonly isolation?: 'trees' | undefined;
  readonly trees?: TreeNeeds | undefined;
  readonly lend?: Lend | undefined;
  /** Of a divided task: the shared files, and the files between two owners. */
  readonly division?: FileDivision | undefined;
  /** Only for a pipeline. */
  readonly asked?: {
    readonly requirement: string;
    readonly pipeline: Name;
    /** AgentSpecs that subagents may use, besides the role's own. */
    readonly subagents: { kind: string }[];
  };
  /** Records on the first board, besides its members. */
  readonly changes?: readonly Change[];
}

export interface OpenOptions {
  /** The directory that holds `.teams` and `.tasks`. */
  readonly root: string;
  /** The speaker; by default the environment decides. */
  readonly as?: string | undefined;
  readonly quota?: Quota;
  readonly lockTimeoutMs?: number;
  /** For members of a new team that say nothing of it. */
  readonly approvals?: 'ask' | 'sandbox';
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** As of a `TeamStore`. */
  readonly trust?: StoreOptions['trust'];
  readonly signs?: StoreOptions['signs'];
}

/** The options of the store. */
export const storeOptions = ({
  quota,
  lockTimeoutMs,
  trust,
  signs,
}: Pick<OpenOptions, 'quota' | 'lockTimeoutMs' | 'trust' | 'signs'>): StoreOptions => ({
  clock: realClock,
  quota,
  lockTimeoutMs,
  trust,
  signs,
});

/**
 * Creates a team on disk; starts nothing.
 *
 * @throws UsageError `BAD_NAME`, `POLICY_DENIED` inside a teammate; ConflictError `TEAM_EXISTS`; StoreError
 */
export function makeTeam(name: string, input: TeamInput, options: OpenOptions): TeamHandle {
  const { environment = process.env } = options;
  const member = environment[ENV.member] ?? starterIn(options.root);
  if (member !== undefined)
    throw new UsageError('POLICY_DENIED', `A teammate cannot make a team (this process is ${member}).`);
  const team = parseName('team', name);
  // Finish a delete that a crash interrupted first, so that its name is free.
  recoverArchive(options.root, archiveStamp(realClock.now()));
  const { profile = 'v8', members: given = [], changes = [], division } = input;
  const roles = given.map((one) =>
    profile === 'pipeline' ? pipelineMember(options.root, one) : { input: one, keepRole: () => {} },
  );
  const members = roles.map((one) => one.input);
  const configs = members.map((member, index) => memberConfig(team, member, index));
  const twin = configs.find((one, index) => configs.findIndex((other) => other.name === one.name) !== index);
  if (twin) throw new UsageError('BAD_NAME', `Two members are called ${twin.name}; each needs a name of its own.`);
  const session = profile === 'pipeline' ? sessionIdOf(team) : undefined;
  const joined = configs.map(({ name: member, role }, index): Change => ({
    type: 'member.joined',
    name: member,
    role,
    prefixes: [...(members[index]?.prefixes ?? [])],
  }));
  const store = createStore(
    options.root,
    {
      name: team,
      profile,
      claimMode: input.claimMode ?? profiles[profile].claimMode,
      config: {
        members: configs,
        session_id: session,
        cwd: input.cwd,
        plan_dir: input.planDir,
        division: division && { shared: [...division.shared], boundary: [...division.boundary] },
        env_pass: input.envPass && [...input.envPass],
        isolation: input.isolation,
        trees: input.isolation && input.trees,
        lend: input.lend && !lendsNothing(input.lend) ? input.lend : undefined,
        approvals: options.approvals === 'ask' ? 'ask' : undefined,
        ...input.asked,
      },
      changes: [...joined, ...changes],
    },
    storeOptions(options),
  );
  for (const { keepRole } of roles) keepRole(store.disk, store.paths);
  return TeamHandle.on(store, options);
}

/**
 * Opens an existing team.
 *
 * @throws UsageError `UNKNOWN_TEAM`
 */
export const openHandle = (name: string, options: OpenOptions): TeamHandle =>
  TeamHandle.on(openStore(teamPaths(options.root, parseName('team', name)), storeOptions(options)), options);

export class TeamHandle implements AsyncDisposable {
  readonly store: TeamStore;
  readonly speaker: Speaker;
  /** The board for this speaker. */
  readonly board: Tasks;
  /** The environment of who speaks, for the commands that verify a task. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly #rate: SendRate;
  readonly #isBorrowed: boolean;

  constructor(
    store: TeamStore,
    speaker: Speaker,
    rate: SendRate,
    environment: TeamHandle['environment'] = process.env,
    isBorrowed = false,
  ) {
    this.environment = environment;
    this.store = store;
    this.speaker = speaker;
    this.board = new Tasks(store, speaker);
    this.#rate = rate;
    this.#isBorrowed = isBorrowed;
  }

  static on(store: TeamStore, { as, environment = process.env }: Pick<OpenOptions, 'as' | 'environment'>): TeamHandle {
    return new TeamHandle(
      store,
      authenticate(store, environment, as),
      sendRateFrom(store.clock, environment),
      environment,
    );
  }

  /** On the store of the member's own process, which stays open. @throws UsageError `POLICY_DENIED` */
  static borrowing(store: TeamStore, environment: TeamHandle['environment']): TeamHandle {
    const speaker = authenticate(store, environment, undefined);
    return new TeamHandle(store, speaker, sendRateFrom(store.clock, environment), environment, true);
  }

  get name(): Name {
    return this.store.paths.name;
  }

  get paths(): TeamPaths {
    return this.store.paths;
  }

  /**
   * Sends one message; resolves when it is on disk.
   *
   * @throws UsageError `UNKNOWN_RECIPIENT`, `POLICY_DENIED`; ConflictError `QUOTA`
   */
  async send(to: string, text: string, options: SendOptions = {}): Promise<Delivery> {
    this.#spendSendRate();
    return sendMail(this.store, this.speaker, parseMemberName(to), text, this.#withHops(options));
  }

  /**
   * Answers a question to the lead, or as a person a permission; the answer is final, and the asker goes on.
   *
   * @param id of the question, which is the id of its mail
   * @throws UsageError `UNKNOWN_REQUEST`, `POLICY_DENIED`; ConflictError `FINAL` if it is answered or over
   */
  async answer(id: string, text: string): Promise<Delivery> {
    const asker = askerOf(this.store, this.speaker, id);
    const request = this.store.board.board.requests.get(id);
    if (request?.kind !== 'permission') return this.send(asker, text, { request_id: id });
    await answerPermission(this.store, this.speaker, request, text);
    return { recipient: asker, id };
  }

  /** Sends to every member except the sender: one line and one result each. */
  async broadcast(text: string, options: SendOptions = {}): Promise<Delivery[]> {
    this.#spendSendRate();
    return broadcastMail(this.store, this.speaker, text, this.#withHops(options));
  }

  /**
   * Pauses the team: present turns may end, and nothing begins until it is unpaused.
   *
   * @returns false if it was paused already
   * @throws ConflictError `TEAM_CLOSED`; UsageError `POLICY_DENIED` for a member
   */
  pause(): Promise<boolean> {
    return this.#setPaused(true);
  }

  /** Ends a pause. @returns false if it was not paused */
  unpause(): Promise<boolean> {
    return this.#setPaused(false);
  }

  async #setPaused(isPaused: boolean): Promise<boolean> {
    const { board } = this.store;
    if ((board.fold().phase === 'paused') === isPaused) return false;
    const { outcome } = await board.append(authorOf(this.speaker), () => ({
      type: isPaused ? 'team.paused' : 'team.unpaused',
    }));
    if (outcome.ok) return true;
    // Somebody else was faster.
    if (outcome.code === 'DUPLICATE') return false;
    throw refusalError(outcome);
  }

  /** Unread mail, without consuming it; `history` gives the acknowledged mail. */
  inbox(member: string = this.speaker.name, { history = false }: { history?: boolean } = {}): Iterable<Message> {
    return mailOf(this.store, this.#known(member), { history });
  }

  /**
   * Takes waiting mail, hands it to `use`, and then acknowledges it. If `use` throws, the mail is delivered again.
   *
   * @throws ConflictError `MEMBER_ALIVE` while the member's own process reads the inbox; UsageError `POLICY_DENIED`
   */
  async take<T>(member: string, max: number, use: (messages: Message[]) => T | Promise<T>): Promise<T> {
    return takeMail(this.store, this.speaker, this.#known(member), { max, use });
  }

  /**
   * Adds a member, without starting it.
   *
   * @throws ConflictError if a member has this name
   */
  join(input: MemberInput): Promise<Name> {
    return joinTeam(this.store, this.speaker, input);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isBorrowed) return;
    // A person's verb that folded much saves the next one that; a member's process ends without delay.
    if (this.speaker.kind === 'person') for (const _ of this.store.board.checkpointed());
    await this.store.close();
  }

  /** What a member's process sends counts as sent by its agent. */
  #spendSendRate(): void {
    if (this.speaker.kind === 'member') this.#rate.spend();
  }

  /** What any process of a member sends during a turn counts as an answer to the mail of that turn. */
  #withHops(options: SendOptions): SendOptions {
    if (this.speaker.kind !== 'member' || options.hops !== undefined) return options;
    const hops = this.store.roster.read(this.speaker.name)?.hops;
    return hops === undefined ? options : { ...options, hops };
  }

  #known(member: string): Name {
    const name = parseMemberName(member);
    const { members } = this.store.board.fold();
    if (name === LEAD || members.has(name)) return name;
    throw new UsageError('UNKNOWN_RECIPIENT', noMember(this.name, name, members.keys()));
  }
}
