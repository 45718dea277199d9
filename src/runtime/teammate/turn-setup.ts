/** Prepares a member's turns: its agent, its tools, mail that comes during a turn, and its output. */
import type { Incoming } from '../../agents/agent-contract.ts';
import { hasToolLoop } from '../../model/agent/agent-kinds.ts';
import type { ClaimedTask } from '../../model/board/task.ts';
import type { Message } from '../../model/team/message.ts';
import { notEnforcedEvent } from '../../model/team/not-enforced.ts';
import type { Mailroom } from '../team/mailroom.ts';
import { MemberOutput } from '../agents/member-output.ts';
import { mailBlock, turnPrompt } from '../team/prompts.ts';
import { SightingLog } from '../../store/board/sightings.ts';
import type { RoleOf } from './load-role.ts';
import { writeDoor } from '../agents/write-door.ts';
import { AgentSlots } from '../agents/agent-slots.ts';
import { PermissionGate, workspaceAsk } from '../agents/permission-gate.ts';
import type { MemberSession } from '../team/member-session.ts';
import type { TeammateEnvironment } from './teammate-environment.ts';
import type { CarryOut, RunnerEnvironment } from './runner-environment.ts';

type TurnSetupEnvironment = Pick<
  TeammateEnvironment,
  'slots' | 'sandbox' | 'cwd' | 'tree' | 'shown' | 'judging' | 'answersMail' | 'stallMs' | 'hook' | 'brief' | 'role'
>;

/** The source of mail during a turn, and the mail that must be acknowledged after the turn. */
interface MidTurnMail {
  readonly mailroom: Mailroom;
  readonly taken: Message[];
}

export class TurnSetup {
  readonly output: MemberOutput;
  readonly slots: AgentSlots;
  readonly #session: MemberSession;
  readonly #environment: TurnSetupEnvironment;
  readonly #permissions: PermissionGate;
  readonly #sightings: SightingLog;
  /** Called when mail comes during a turn. */
  readonly #arrivals = new Set<() => void>();

  constructor(session: MemberSession, environment: TurnSetupEnvironment) {
    this.#session = session;
    this.#environment = environment;
    this.output = new MemberOutput(session.store, session.name, tagOf(environment.role));
    this.slots = new AgentSlots({ session, ...environment.slots });
    this.#permissions = new PermissionGate(session);
    this.#sightings = new SightingLog(session.store);
  }

  /**
   * @param mail of the turn: what the agent sends counts as an answer to it; mail that comes during the turn is added
   */
  runner(mail: Message[], post: MidTurnMail, isAsking: () => boolean): RunnerEnvironment {
    const { sandbox, cwd, tree, shown, answersMail, stallMs, hook, brief } = this.#environment;
    const { spec, agent, environment, workspace, ledger, isolation } = this.slots.current;
    const session = this.#session;
    const { store, speaker } = session;
    // Most agents call no tool, so the tools are loaded on the first use.
    const tools = () => import('../tools/team-tools.ts');
    const permits: RunnerEnvironment['permits'] = (asked, signal) => this.#permissions.ask(asked, signal);
    const call: RunnerEnvironment['call'] = async (event) => {
      const asked = workspaceAsk(event);
      const answer = asked && (await permits(asked, event.signal ?? NEVER));
      return answer?.ok === false ? answer : (await tools()).callTool(session, mail, workspace, event);
    };
    const around: RunnerEnvironment['around'] = async () => ({
      stallMs,
      heldMs: () => this.#permissions.heldMs(),
      ...(hasToolLoop(spec.kind) ? { tools: (await tools()).offeredTools(workspace) } : {}),
      ...(answersMail ? { mail: this.#incoming(mail, post) } : {}),
    });
    const judging: RunnerEnvironment['judging'] = async (what, how) => {
      const { openJudging } = await import('../isolation/judging-isolation.ts');
      const place = {
        what,
        config: store.config.readOwn(),
        cwd,
        own: isolation?.hold,
        shown,
        ...how,
        ...this.#environment.judging,
      };
      const opened = await openJudging(place);
      if (opened.notEnforced !== undefined) store.events.append(notEnforcedEvent(opened.notEnforced));
      return opened;
    };
    const remedy: RunnerEnvironment['remedy'] = (end) => this.slots.handleFailure(end);
    const shownAt = isolation?.shownAt;
    const isMounted = shownAt !== undefined || (workspace?.isIsolated === true && sandbox !== 'full');
    const kept = { output: this.output, sightings: this.#sightings, ledger };
    const own = { store, speaker, spec, agent, sandbox, cwd, shownAt, environment, ...kept };
    const refusesWrite = writeDoor(store, session.name, cwd);
    // A task's own command gets no prompt.
    const promptOf = (task: ClaimedTask, fresh: readonly Message[]): string =>
      spec.kind === 'exec' && task.work.run !== undefined ? '' : turnPrompt(task, fresh, brief);
    const carryOut: CarryOut = async (task, fresh, hold) => ({ end: await hold(promptOf(task, fresh)) });
    return { ...own, refusesWrite, permits, call, around, isAsking, remedy, judging, carryOut, hook, tree, isMounted };
  }

  /** Call it when mail came; a turn may be running. */
  notifyMail(): void {
    for (const arrived of this.#arrivals) arrived();
  }

  async close(): Promise<void> {
    await this.slots.close();
    this.output.close();
    this.#sightings.close();
  }

  #incoming(mail: Message[], { mailroom, taken }: MidTurnMail): Incoming {
    return {
      take: () => {
        const more = mailroom.forTurn();
        mail.push(...more);
        if (taken !== mail) taken.push(...more);
        return more.length === 0 ? undefined : mailBlock(more);
      },
      onArrival: (listener) => {
        this.#arrivals.add(listener);
        return () => this.#arrivals.delete(listener);
      },
    };
  }
}

const NEVER = new AbortController().signal;

/** The prefix of every line that a role prints. */
const tagOf = (role: RoleOf | undefined): string | undefined =>
  role && `[${'fields' in role ? role.fields.role : role.role}] `;
