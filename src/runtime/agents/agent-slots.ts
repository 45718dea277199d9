/**
 * Who thinks for a member: its own agent, and whoever stands in when that fails (SPEC §8 "Choice"). What is to be done is
 * the policy's word; here it is carried out and told.
 *
 * own agent, in the tier of the task at hand
 * own agent ─cannot work at all─→ a stand-in, for the whole run ─likewise─→ the next … → nobody: the member leaves
 *           └─does not get on with a task─→ a stand-in, for that task ─→ the next … → nobody: the task fails
 */
import type { AgentSpec, FailureClass, Tier } from '../../model/agent/agent.ts';
import type { ModelRules } from '../../model/agent/models.ts';
import { isFinal, type Task } from '../../model/board/task.ts';
import { agentKey, mayFallBack, remedyFor, standIns, type Scope } from '../../policy/supervise/fallback.ts';
import type { FaultyTurn, Remedied } from '../../policy/outcome.ts';
import { suitedTo } from '../../policy/divide/tiers.ts';
import { hashText } from '../../store/board/results.ts';
import { AgentLedger } from './agent-ledger.ts';
import type { Seated } from './open-agent.ts';
import type { Self } from '../team/member-session.ts';

/** An agent at work: as it was asked for, as it sits, and the account of it. */
export interface Chair extends Seated {
  readonly given: AgentSpec;
  readonly ledger: AgentLedger;
}

export interface SeatsEnvironment {
  readonly self: Self;
  readonly given: AgentSpec;
  readonly first: Seated;
  /** Who may stand in, in order, and what tiers are called. */
  readonly rules: ModelRules & { readonly fallback: readonly AgentSpec[] };
  /** @returns why it cannot, instead */
  readonly seat: (spec: AgentSpec, options: { keepsSession: boolean }) => Promise<Seated | string>;
}

/** What came of one task, or of the mail, so far. */
interface Trial {
  readonly faults: Map<string, FailureClass[]>;
  standIn: Chair | undefined;
}

type Fault = Pick<FaultyTurn, 'why' | 'message'>;

export class Seats {
  readonly #environment: SeatsEnvironment;
  readonly #isFixed: boolean;
  readonly #trials = new Map<string | undefined, Trial>();
  /** Its own agent with the models of other tiers. */
  readonly #suited = new Map<Tier, Chair>();
  #own: Chair;
  #task: Task | undefined;
  #isEmpty = false;

  constructor(environment: SeatsEnvironment) {
    const { self, given, first } = environment;
    this.#environment = environment;
    this.#own = { ...first, given, ledger: new AgentLedger(self, first.spec) };
    this.#isFixed = !mayFallBack(given) || self.store.board.board.profile === 'relay';
  }

  /** Nobody can think for this member in this run. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Who thinks now. */
  get chair(): Chair {
    return this.#trials.get(this.#task?.id)?.standIn ?? this.#suitable ?? this.#own;
  }

  /**
   * A turn is to begin. What another member found of this agent in this run counts here, too.
   *
   * @returns whether somebody thinks
   */
  async begin(task: Task | undefined): Promise<boolean> {
    this.#task = task;
    if (!(await this.#isManned())) return false;
    await this.#suit();
    return true;
  }

  async #isManned(): Promise<boolean> {
    if (this.#isFixed || this.#isEmpty) return !this.#isEmpty;
    await this.#forgetFinal();
    const why = this.#unfit(agentKey(this.#own.given));
    if (why !== undefined) await this.#replace(this.#own, 'run', { why, message: 'another member found it so.' });
    return !this.#isEmpty;
  }

  /** The agent failed by its own fault. @returns undefined where nobody stands in for anybody */
  async failed(end: FaultyTurn): Promise<Remedied | undefined> {
    if (this.#isFixed) return undefined;
    const { chair } = this;
    const { faults, standIn } = this.#trial();
    const key = agentKey(chair.given);
    const known = [...(faults.get(key) ?? []), end.why];
    faults.set(key, known);
    const remedy = remedyFor(known);
    if (remedy.do === 'again')
      return { done: 'again', ...(remedy.afterMs === undefined ? {} : { afterMs: remedy.afterMs }) };
    if (remedy.for === 'task' && this.#task === undefined) return undefined;
    if (remedy.for === 'run') await this.#condemn(key, end.why);
    const scope = chair === standIn ? 'task' : remedy.for;
    const why = await this.#replace(scope === 'run' ? this.#own : chair, scope, end);
    return why === undefined ? { done: 'replaced' } : { done: 'nothing', for: scope, why };
  }

  async close(): Promise<void> {
    for (const { standIn } of this.#trials.values()) if (standIn) await leave(standIn);
    this.#trials.clear();
    await this.#unsuit();
    await leave(this.#own);
  }

  #trial(): Trial {
    const known = this.#trials.get(this.#task?.id);
    if (known) return known;
    const fresh: Trial = { faults: new Map(), standIn: undefined };
    this.#trials.set(this.#task?.id, fresh);
    return fresh;
  }

  /** Who stood in for what is over goes. */
  async #forgetFinal(): Promise<void> {
    const { tasks } = this.#environment.self.store.board.board;
    for (const [id, { standIn }] of this.#trials) {
      const task = id === undefined ? undefined : tasks.get(id);
      if (task === undefined || !isFinal(task)) continue;
      this.#trials.delete(id);
      if (standIn) await leave(standIn);
    }
  }

  /** @returns why nobody took the place, instead */
  async #replace(from: Chair, scope: Scope, fault: Fault): Promise<string | undefined> {
    const { self, rules, seat } = this.#environment;
    const { faults } = this.#trial();
    const missing: string[] = [];
    const isSpent = (key: string): boolean => faults.has(key) || this.#unfit(key) !== undefined;
    for (const given of standIns(from.given, rules.fallback, isSpent)) {
      const found = await seat(given, { keepsSession: scope === 'run' });
      if (typeof found === 'string') missing.push(`${given.kind}: ${found}`);
      else {
        const how = scope === 'run' ? 'for the whole run' : `for task #${this.#task?.id ?? ''}`;
        this.#tell(
          'agent.fell_back',
          `${calledBeside(from.given, given)} → ${calledBeside(given, from.given)} ${how}:`,
          scope,
          fault,
        );
        await this.#sit({ ...found, given, ledger: new AgentLedger(self, found.spec) }, from, scope);
        return undefined;
      }
    }
    const list = missing.length === 0 ? '' : ` (${missing.join('; ')})`;
    const nobody = `Nobody stands in for ${from.given.kind}${list}.`;
    this.#tell('agent.left_alone', nobody, scope, fault);
    this.#isEmpty = scope === 'run';
    return nobody;
  }

  async #sit(chair: Chair, from: Chair, scope: Scope): Promise<void> {
    const trial = this.#trial();
    // Its own agent waits for its next task; who stood in does not.
    const isOver = scope === 'run' || from === trial.standIn;
    if (scope === 'run') {
      this.#own = chair;
      await this.#unsuit();
    } else trial.standIn = chair;
    if (isOver) await leave(from);
  }

  get #suitable(): Chair | undefined {
    const suited = suitedTo(this.#own.given, this.#task?.metadata['tier'], this.#environment.rules);
    return suited?.tier && this.#suited.get(suited.tier);
  }

  /** Its own agent as strong as the task asks for; as it is, where that cannot be had. */
  async #suit(): Promise<void> {
    const { self, rules, seat } = this.#environment;
    const given = suitedTo(this.#own.given, this.#task?.metadata['tier'], rules);
    if (given?.tier === undefined || this.#suited.has(given.tier)) return;
    const found = await seat(given, { keepsSession: false });
    if (typeof found !== 'string')
      this.#suited.set(given.tier, { ...found, given, ledger: new AgentLedger(self, found.spec) });
  }

  async #unsuit(): Promise<void> {
    for (const chair of this.#suited.values()) await leave(chair);
    this.#suited.clear();
  }

  /** In this run, which is the time of one lead, nobody of the team tries it again. */
  async #condemn(key: string, fault: FailureClass): Promise<void> {
    const { vendors, board } = this.#environment.self.store;
    const { epoch } = board.board.lead;
    await vendors.update((current) => {
      const unfit = { ...current?.unfit, [hashText(key)]: { fault, epoch } };
      return { next: { version: 1, vendors: {}, ...current, unfit }, result: undefined };
    });
  }

  #unfit(key: string): FailureClass | undefined {
    const { vendors, board } = this.#environment.self.store;
    const found = vendors.read()?.unfit?.[hashText(key)];
    return found?.epoch === board.board.lead.epoch ? found.fault : undefined;
  }

  #tell(type: string, what: string, scope: Scope, { why, message }: Fault): void {
    const { store, name } = this.#environment.self;
    const task = this.#task === undefined ? {} : { task: this.#task.id };
    const text = `${what} ${why}: ${message}`.slice(0, 4_096);
    store.events.append({ type, member: name, ...task, fault: why, scope, text });
  }
}

async function leave({ agent, workspace }: Chair): Promise<void> {
  await agent.close();
  await workspace?.[Symbol.asyncDispose]();
}

/** By its kind; of two of one kind, by its model, too. */
const calledBeside = ({ kind, model = 'its own model' }: AgentSpec, other: AgentSpec): string =>
  kind === other.kind ? `${kind} (${model})` : kind;
