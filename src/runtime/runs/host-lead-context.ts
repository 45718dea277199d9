/**
 * The tool context of a model that leads. It makes one team at a time and leads it from this process, until it deletes
 * the team or the process ends. It leads in the same way as `teams lead`, so that `teams delete` from another process
 * ends it in order.
 */
import { childEnvironment } from '../../agents/agent-registry.ts';
import { AGENT_KINDS, recordOf } from '../../model/agent/agent-kinds.ts';
import { AUTO, findAgent, unknownAgent, type AgentSpec } from '../../model/agent/agent.ts';
import { AgentError, ConflictError, UsageError } from '../../model/text/errors.ts';
import type { Task } from '../../model/board/task.ts';
import { withReview } from '../../model/team/isolation.ts';
import { reviewOf } from '../../model/board/request.ts';
import { parseName, type Name } from '../../model/text/names.ts';
import { DEFAULT_TASK_TIMEOUT_MS } from '../../model/board/task.ts';
import { maySpawn } from '../../policy/sandbox/tool-rules.ts';
import { readSkills, type Skill } from '../../store/session/skills.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { findTeam } from '../../store/team/team-list.ts';
import type { AppliedChanges, ToolContext, LeadToolContext, Mailbox, SpawnRequest } from '../tools/tool-context.ts';
import { configureMember } from '../lead/configure-member.ts';
import { judgeTask } from '../lead/task-judgement.ts';
import { closeTeam } from './close-team.ts';
import { leadTeam } from './lifecycle.ts';
import { treesFor, type SaidOfTrees } from './trees-for.ts';
import { pathWithUs } from '../process/package.ts';
import { addWriters } from '../team/membership.ts';
import { sendRateFrom } from '../team/send-rate.ts';
import type { RunSession, SessionOptions } from './session.ts';
import { Subagents } from '../tools/subagents.ts';
import { newTeam } from '../relay/new-team.ts';
import { TeamHandle, type OpenOptions } from '../team/team-handle.ts';
import type { Workspace } from '../tools/tool-workspace.ts';
import type { CloseResult } from '../../model/member/member-status.ts';
import { notEnforcedEvent, notEnforcedText, type NotEnforced } from '../../model/team/not-enforced.ts';
import type { Prices } from '../../model/team/spending-sum.ts';
import { defined } from '../../model/text/defined.ts';
import { ENV } from '../../model/text/environment.ts';
import { openForReading, type TeamReader } from '../../store/team/team-reader.ts';
import { realClock } from '../../os/system-clock.ts';
import { orphanedTeam } from '../tools/orphaned-team.ts';

interface LeadToolOptions {
  readonly open: OpenOptions;
  readonly session: SessionOptions;
  /** Agents by name, as configured. */
  readonly agents: ReadonlyMap<string, AgentSpec>;
  /** The agent for calls that name none; a string says why there is none. */
  readonly defaultAgent: () => Promise<AgentSpec | string>;
  readonly cwd: string;
  /** What the configuration says about trees. */
  readonly trees: Pick<SaidOfTrees, 'configured' | 'needs'>;
  /** Brings what landed into the project's files. */
  readonly apply: (reader: TeamReader, task: Task | undefined, signal: AbortSignal) => Promise<AppliedChanges>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For shell and file tools; without it they are not offered. */
  readonly workspace?: Workspace | undefined;
  /** When the host leaves, the team is kept, and a later host takes it up. */
  readonly keeps: boolean;
  /** Aborts when it must end at once. */
  readonly force: AbortSignal;
}

interface Led {
  readonly session: RunSession;
  readonly handle: TeamHandle;
  /** Settles when this process no longer leads the team. */
  readonly over: Promise<unknown>;
}

export class HostLeadContext implements ToolContext, LeadToolContext {
  readonly side = 'lead';
  readonly lead = this;
  /** What subagents use counts for the team that is led. */
  readonly subagents: Subagents;
  readonly #options: LeadToolOptions;
  readonly #gone = new AbortController();
  #led: Led | undefined;
  #ended: string | undefined;
  /** What no team could keep yet. */
  readonly #untold: NotEnforced[] = [];
  /** Of subagents, for the team that is made later, too. */
  readonly #writers: AgentSpec[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #spawns = 0;

  constructor(options: LeadToolOptions) {
    this.#options = options;
    this.subagents = new Subagents({
      onSpent: (event) => this.#led?.session.tell(event),
      spender: () => this.#led?.session.spender,
      surroundings: {
        setting: options.session.isolation ?? 'auto',
        lend: options.session.lend,
        environment: options.environment,
        team: () => this.#ledPlaces(),
        onNotEnforced: (told) => {
          if (this.#led === undefined) this.#untold.push(told);
          else this.#led.session.tell(notEnforcedEvent(told));
        },
      },
    });
  }

  untold(): string[] {
    return this.#untold.splice(0).map(notEnforcedText);
  }

  get team(): TeamHandle | undefined {
    return this.#led?.handle;
  }

  get ended(): string | undefined {
    return this.#ended;
  }

  get prices(): Prices | undefined {
    return this.#options.session.prices;
  }

  get workspace(): Workspace | undefined {
    return this.#options.workspace;
  }

  get mail(): Mailbox | undefined {
    return this.#led?.session.mail;
  }

  create({ name, profile, about, ...asked }: Parameters<LeadToolContext['create']>[0]) {
    return this.#exclusively(async () => {
      if (this.#led) throw new ConflictError('REFUSED', `This process leads team ${this.#led.handle.name} already.`);
      const { open, cwd, trees: said } = this.#options;
      const trees = withReview(said.needs, asked.review);
      const subject = { isolation: asked.isolation, ...defined({ trees }), decomposed: undefined, members: [] };
      const isolation = await treesFor(subject, { ...said, say: () => {} }, { cwd, root: open.root });
      const made = await newTeam(name, { cwd, profile, isolation, trees }, open);
      const { paths } = made;
      await made[Symbol.asyncDispose]();
      this.#led = await this.#take(paths);
      this.#spawns = 0;
      await addWriters(this.#led.handle.store, this.#writers);
      if (this.#options.keeps) await this.#led.session.note({ host: 'leads' });
      if (about !== undefined) this.#led.session.tell({ type: 'team.described', text: about });
      return { name: paths.name, isolation: isolation ?? ('off' as const) };
    });
  }

  /**
   * Takes up the team that an earlier host left and restarts its members.
   *
   * @returns the team that is led now
   */
  takeUp(): Promise<Name | undefined> {
    return this.#exclusively(async () => {
      const paths = orphanedTeam(this.#options.open.root);
      if (paths === undefined) return undefined;
      this.#led = await this.#take(paths, true);
      await this.#led.session.note({ host: 'leads' });
      this.#spawns = this.#led.session.startable().length;
      return paths.name;
    });
  }

  remove(name: string, force: boolean): Promise<CloseResult> {
    return this.#exclusively(async () => {
      const { open, session } = this.#options;
      const led = this.#led;
      if (led && led.handle.name !== name)
        throw new UsageError(
          'UNKNOWN_TEAM',
          `This process leads team ${led.handle.name}, not ${JSON.stringify(name)}.`,
        );
      const team = findTeam(open.root, parseName('team', name));
      if (team === undefined || team.archivedAt !== undefined)
        throw new UsageError('UNKNOWN_TEAM', `There is no team ${JSON.stringify(name)} under ${open.root}.`);
      if (!force) await requireAppliedIn(team.paths);
      const closed = await closeTeam(team.paths, { purpose: 'delete', force }, session);
      await led?.over;
      return closed;
    });
  }

  spawnMember({ name, prompt, role, agent, planApproval }: SpawnRequest): Promise<Name> {
    return this.#exclusively(async () => {
      const { session, handle } = this.#requireLead();
      const { members } = handle.store.board.fold();
      const known = [...members.values()].find((one) => one.name === name);
      const denied = maySpawn({ members: members.size - (known ? 1 : 0), spawns: this.#spawns });
      if (denied) throw new ConflictError('QUOTA', denied.why);
      if (known && session.isRunning(known.name))
        throw new ConflictError('MEMBER_ALIVE', `${name} is running already; write to it with SendMessage.`);
      const member = await configureMember(handle, name, { role, agent, planApproval });
      await handle.send(member, prompt);
      this.#spawns += 1;
      await session.start([member], this.#gone.signal);
      return member;
    });
  }

  apply(task: Task | undefined, signal: AbortSignal): Promise<AppliedChanges> {
    return this.#exclusively(() => this.#options.apply(this.#requireLead().handle.store, task, signal));
  }

  async review(reference: string, answer: Parameters<LeadToolContext['review']>[1]): Promise<Task> {
    const { handle } = this.#requireLead();
    const task = handle.board.get(reference);
    if (reviewOf(handle.store.board.board, task) === undefined)
      throw new ConflictError('REFUSED', `No change of task #${task.id} waits for a review.`);
    if (handle.store.config.readOwn()?.trees?.review !== 'lead')
      throw new UsageError(
        'POLICY_DENIED',
        `The change of task #${task.id} waits for a person, not for a model (rule: review by a person): \`teams task approve ${handle.name} ${task.id}\`, or the form that the host shows.`,
      );
    return judgeTask(handle, task.id, answer);
  }

  async agent(name: string | undefined, model: string | undefined): Promise<AgentSpec> {
    const { agents, defaultAgent } = this.#options;
    const spec = name === undefined || name === AUTO ? await defaultAgent() : findAgent(name, agents);
    if (typeof spec === 'string') throw new AgentError('AGENT_UNAVAILABLE', `Name an agent with "agent": ${spec}.`);
    // Only a person may write a command, in the configuration; none is accepted from a model.
    if (spec === undefined) throw new UsageError('USAGE', unknownAgent(name ?? '', agents));
    return model === undefined ? spec : { ...spec, model };
  }

  agentNames(): string[] {
    // A command or a script needs more than its kind, and only the configuration gives it.
    const kinds = AGENT_KINDS.filter((kind) => ['program', 'api'].includes(recordOf(kind).drive));
    return [...new Set([AUTO, ...this.#options.agents.keys(), ...kinds])];
  }

  readonly noteWriter: LeadToolContext['noteWriter'] = async (agent) => {
    if (!this.#writers.some(({ kind }) => kind === agent.kind)) this.#writers.push(agent);
    if (this.#led !== undefined) await addWriters(this.#led.handle.store, this.#writers);
  };

  readonly subagentContext: LeadToolContext['subagentContext'] = ({ kind, env = {} }, role) => {
    const { environment, cwd } = this.#options;
    const add = {
      PATH: pathWithUs(environment['PATH'] ?? '/usr/bin:/bin'),
      ...defined({ [ENV.role]: role }),
    };
    const known = childEnvironment(kind, { parent: environment, env, add });
    // Only `TeamApply` changes the files of a project whose team has trees; a subagent has none of its own.
    const sandbox = this.#led?.handle.store.config.readOwn()?.isolation === 'trees' ? 'read-only' : 'workspace-write';
    return { cwd, env: known, sandbox, timeoutMs: DEFAULT_TASK_TIMEOUT_MS };
  };

  skills(): Skill[] {
    return readSkills(this.#options.open.root, this.#options.environment);
  }

  /**
   * Ends the team's processes, and all else that was started here.
   *
   * @returns the team that was led, if it still exists
   */
  async close(): Promise<TeamPaths | undefined> {
    const known = this.#led;
    if (this.#options.keeps) await known?.session.note({ host: 'left' });
    this.#gone.abort();
    // Wait for a team that is just being made, so that it is ended, too.
    await this.#turn;
    const led = this.#led ?? known;
    await Promise.all([this.subagents.close(), led?.over]);
    const team = led && findTeam(this.#options.open.root, led.handle.name);
    return team?.archivedAt === undefined ? team?.paths : undefined;
  }

  #ledPlaces(): string[] {
    const paths = this.#led?.handle.store.paths;
    return paths === undefined ? [] : [paths.folder, paths.board];
  }

  #requireLead(): Led {
    if (this.#led) return this.#led;
    throw new UsageError('UNKNOWN_TEAM', `${this.#ended ?? 'There is no team yet.'} TeamCreate makes one.`);
  }

  /** Leads until the team closes; resolves as soon as the lead is taken. */
  async #take(paths: TeamPaths, takeover = false): Promise<Led> {
    const { session: options, environment, keeps } = this.#options;
    const gone = this.#gone.signal;
    // A later host restarts the members anyway. Waiting for them now would only risk that the host kills this process.
    const force = keeps ? AbortSignal.any([this.#options.force, gone]) : this.#options.force;
    let leading: Promise<unknown> = Promise.resolve();
    const session = await new Promise<RunSession>((started, failed) => {
      const run = { signal: gone, force, leave: gone, onStarted: started };
      leading = leadTeam(paths, { ...options, takeover, readsMail: true }, run);
      leading.catch(failed);
    });
    const over = leading
      .then(
        () => (this.#ended = `Team ${paths.name} has ended.`),
        (error: unknown) => (this.#ended = `This process leads team ${paths.name} no more: ${reasonFor(error)}`),
      )
      .finally(() => (this.#led = undefined));
    const { store, speaker } = session;
    return { session, over, handle: new TeamHandle(store, speaker, sendRateFrom(store.clock, environment)) };
  }

  /** Runs one change of the team at a time, because hosts call tools in parallel. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

const reasonFor = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** @throws ConflictError `REFUSED` while work that landed is not applied */
async function requireAppliedIn(paths: TeamPaths): Promise<void> {
  const reader = openForReading(paths, { clock: realClock });
  try {
    if (reader.config.read()?.isolation !== 'trees') return;
    // Without trees no module of theirs is loaded.
    const { requireApplied } = await import('../trees/landed-work.ts');
    const cures = { apply: 'TeamApply', archive: 'TeamDelete with `force`' };
    await requireApplied(reader, cures, new AbortController().signal);
  } finally {
    reader.close();
  }
}
