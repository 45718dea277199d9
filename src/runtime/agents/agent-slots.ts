/**
 * Which agent works for a member: its own, or a stand-in when that fails (docs/specification.md R7.8). `policy/supervise/fallback.ts`
 * decides; this class applies the decision and logs it.
 *
 *   own agent, in the tier of the present task
 *   own agent ─cannot work at all─→ a stand-in, for the whole run ─the same─→ the next … → none: the member exits
 *             └─fails at a task───→ a stand-in, for that task ─→ the next … → none: the task fails
 */
import type { AgentSpec, FailureClass, Tier } from '../../model/agent/agent.ts';
import type { ModelRules } from '../../model/agent/models.ts';
import { isFinal, type Task } from '../../model/board/task.ts';
import { agentKey, mayFallBack, remedyFor, standIns, type FallbackScope } from '../../policy/supervise/fallback.ts';
import type { PriceRules } from '../../policy/budget/estimate.ts';
import type { FaultyTurn, RemedyResult } from '../../policy/outcome.ts';
import { suitedTo } from '../../policy/divide/tiers.ts';
import { hashText } from '../../store/board/results.ts';
import { AgentLedger } from './agent-ledger.ts';
import type { OpenedAgent } from './open-agent.ts';
import type { MemberSession } from '../team/member-session.ts';

/** An opened agent with the spec that was asked for, and its ledger. */
interface AssignedAgent extends OpenedAgent {
  readonly given: AgentSpec;
  readonly ledger: AgentLedger;
}

export interface AgentSlotsEnvironment {
  readonly session: MemberSession;
  readonly given: AgentSpec;
  readonly first: OpenedAgent;
  /** The agents that may stand in, in order, and the models of tiers. */
  readonly rules: ModelRules & PriceRules & { readonly fallback: readonly AgentSpec[] };
  /** @returns the stand-in, or why it cannot work */
  readonly openStandIn: (spec: AgentSpec, options: { keepsSession: boolean }) => Promise<OpenedAgent | string>;
}

/** The faults and the stand-in of one task, or of mail, so far. */
interface AgentAttempts {
  readonly faults: Map<string, FailureClass[]>;
  standIn: AssignedAgent | undefined;
}

type Fault = Pick<FaultyTurn, 'why' | 'message'>;

export class AgentSlots {
  readonly #environment: AgentSlotsEnvironment;
  readonly #isFixed: boolean;
  readonly #attemptsByTask = new Map<string | undefined, AgentAttempts>();
  /** Its own agent with the models of other tiers. */
  readonly #byTier = new Map<Tier, AssignedAgent>();
  #own: AssignedAgent;
  #task: Task | undefined;
  #isEmpty = false;

  constructor(environment: AgentSlotsEnvironment) {
    const { session, given, first } = environment;
    this.#environment = environment;
    this.#own = { ...first, given, ledger: new AgentLedger(session, first.spec, environment.rules) };
    this.#isFixed = !mayFallBack(given) || session.store.board.board.profile === 'relay';
  }

  /** Whether no agent can work for this member in this run. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** The agent that works now. */
  get current(): AssignedAgent {
    return this.#attemptsByTask.get(this.#task?.id)?.standIn ?? this.#forTier ?? this.#own;
  }

  /**
   * Prepares an agent for a turn. If another member found this agent unavailable in this run, that counts here, too.
   *
   * @returns whether an agent can work
   */
  async assign(task: Task | undefined): Promise<boolean> {
    this.#task = task;
    if (!(await this.#replaceUnavailable())) return false;
    await this.#assignTier();
    return true;
  }

  async #replaceUnavailable(): Promise<boolean> {
    if (this.#isFixed || this.#isEmpty) return !this.#isEmpty;
    await this.#forgetFinal();
    const why = this.#unavailable(agentKey(this.#own.given));
    if (why !== undefined)
      await this.#replace(this.#own, 'run', { why, message: 'another member found it unavailable.' });
    return !this.#isEmpty;
  }

  /**
   * The agent failed by its own fault.
   *
   * @returns what was done about it; undefined if this member has no fallback
   */
  async handleFailure(end: FaultyTurn): Promise<RemedyResult | undefined> {
    if (this.#isFixed) return undefined;
    const { current: assigned } = this;
    const { faults, standIn } = this.#attempts();
    const key = agentKey(assigned.given);
    const known = [...(faults.get(key) ?? []), end.why];
    faults.set(key, known);
    const remedy = remedyFor(known);
    if (remedy.do === 'again') return { done: 'again', afterMs: remedy.afterMs };
    if (remedy.for === 'task' && this.#task === undefined) return undefined;
    if (remedy.for === 'run') await this.#markUnavailable(key, end.why);
    const scope = assigned === standIn ? 'task' : remedy.for;
    const why = await this.#replace(scope === 'run' ? this.#own : assigned, scope, end);
    return why === undefined ? { done: 'replaced' } : { done: 'nothing', for: scope, why };
  }

  async close(): Promise<void> {
    for (const { standIn } of this.#attemptsByTask.values()) if (standIn) await closeAgent(standIn);
    this.#attemptsByTask.clear();
    await this.#releaseTiers();
    await closeAgent(this.#own);
  }

  #attempts(): AgentAttempts {
    const known = this.#attemptsByTask.get(this.#task?.id);
    if (known) return known;
    const fresh: AgentAttempts = { faults: new Map(), standIn: undefined };
    this.#attemptsByTask.set(this.#task?.id, fresh);
    return fresh;
  }

  /** Closes stand-ins of tasks that are final. */
  async #forgetFinal(): Promise<void> {
    const { tasks } = this.#environment.session.store.board.board;
    for (const [id, { standIn }] of this.#attemptsByTask) {
      const task = id === undefined ? undefined : tasks.get(id);
      if (task === undefined || !isFinal(task)) continue;
      this.#attemptsByTask.delete(id);
      if (standIn) await closeAgent(standIn);
    }
  }

  /** @returns why there is no stand-in; undefined if there is one */
  async #replace(from: AssignedAgent, scope: FallbackScope, fault: Fault): Promise<string | undefined> {
    const { session, rules, openStandIn } = this.#environment;
    const { faults } = this.#attempts();
    const missing: string[] = [];
    const isSpent = (key: string): boolean => faults.has(key) || this.#unavailable(key) !== undefined;
    for (const given of standIns(from.given, rules.fallback, isSpent)) {
      const found = await openStandIn(given, { keepsSession: scope === 'run' });
      if (typeof found === 'string') missing.push(`${given.kind}: ${found}`);
      else {
        const how = scope === 'run' ? 'for the whole run' : `for task #${this.#task?.id ?? ''}`;
        this.#tell(
          'agent.fell_back',
          `${labelBeside(from.given, given)} → ${labelBeside(given, from.given)} ${how}:`,
          scope,
          fault,
        );
        await this.#install({ ...found, given, ledger: new AgentLedger(session, found.spec, rules) }, from, scope);
        return undefined;
      }
    }
    const list = missing.length === 0 ? '' : ` (${missing.join('; ')})`;
    const text = `No agent can replace ${from.given.kind}${list}.`;
    this.#tell('agent.no_fallback', text, scope, fault);
    this.#isEmpty = scope === 'run';
    return text;
  }

  async #install(assigned: AssignedAgent, from: AssignedAgent, scope: FallbackScope): Promise<void> {
    const attempts = this.#attempts();
    // Its own agent stays open for its next task; a replaced stand-in does not.
    const isOver = scope === 'run' || from === attempts.standIn;
    if (scope === 'run') {
      this.#own = assigned;
      await this.#releaseTiers();
    } else attempts.standIn = assigned;
    if (isOver) await closeAgent(from);
  }

  get #forTier(): AssignedAgent | undefined {
    const suited = suitedTo(this.#own.given, this.#task?.metadata['tier'], this.#environment.rules);
    return suited?.tier && this.#byTier.get(suited.tier);
  }

  /** Opens its own agent with the tier that the task asks for; if that does not work, it stays as it is. */
  async #assignTier(): Promise<void> {
    const { session, rules, openStandIn } = this.#environment;
    const given = suitedTo(this.#own.given, this.#task?.metadata['tier'], rules);
    if (given?.tier === undefined || this.#byTier.has(given.tier)) return;
    const found = await openStandIn(given, { keepsSession: false });
    if (typeof found !== 'string')
      this.#byTier.set(given.tier, { ...found, given, ledger: new AgentLedger(session, found.spec, rules) });
  }

  async #releaseTiers(): Promise<void> {
    for (const assigned of this.#byTier.values()) await closeAgent(assigned);
    this.#byTier.clear();
  }

  /** For the time of the present lead, no member of the team tries this agent again. */
  async #markUnavailable(key: string, fault: FailureClass): Promise<void> {
    const { vendors, board } = this.#environment.session.store;
    const { epoch } = board.board.lead;
    await vendors.update((current) => {
      const unfit = { ...current?.unfit, [hashText(key)]: { fault, epoch } };
      return { next: { version: 1, vendors: {}, ...current, unfit }, result: undefined };
    });
  }

  #unavailable(key: string): FailureClass | undefined {
    const { vendors, board } = this.#environment.session.store;
    const found = vendors.read()?.unfit?.[hashText(key)];
    return found?.epoch === board.board.lead.epoch ? found.fault : undefined;
  }

  #tell(type: string, what: string, scope: FallbackScope, { why, message }: Fault): void {
    const { store, name } = this.#environment.session;
    const task = this.#task === undefined ? {} : { task: this.#task.id };
    const text = `${what} ${why}: ${message}`.slice(0, 4_096);
    store.events.append({ type, member: name, ...task, fault: why, scope, text });
  }
}

async function closeAgent({ agent, workspace, isolation }: AssignedAgent): Promise<void> {
  await agent.close();
  await workspace?.[Symbol.asyncDispose]();
  await isolation?.close();
}

/** An agent's name in a log text: its kind, and its model if the other has the same kind. */
const labelBeside = ({ kind, model = 'its own model' }: AgentSpec, other: AgentSpec): string =>
  kind === other.kind ? `${kind} (${model})` : kind;
