/**
 * The DO of a round: asks each backend through its worker if there is a team, else directly from this process. A team
 * that cannot be made, or whose workers do not answer, is not used for the rest of the loop. Prompts and results are
 * the same in both ways.
 */
import { randomBytes } from 'node:crypto';
import { AgentError } from '../../../model/text/errors.ts';
import type { Name } from '../../../model/text/names.ts';
import type { RelayOutcome } from '../../../model/pipeline/round.ts';
import { LIMITS, refusalText, thousands } from '../../../policy/context-budget.ts';
import { relayOutcome } from '../../../policy/refine/relay-outcome.ts';
import { relayPrompt } from '../../../policy/refine/relay-wording.ts';
import type { Brief } from '../../../policy/refine/round-brief.ts';
import type { TreePlace } from '../../landing/tree-place.ts';
import type { TeamPaths } from '../../../store/files/paths.ts';
import { ownSpender } from '../../budget/own-ledger.ts';
import { gitDiff } from '../../process/git-diff.ts';
import type { RunSession } from '../session.ts';
import type { RelayCalls } from '../relay-call.ts';
import { LONGEST_PROMPT, RelayTeam } from './relay-team.ts';
import type { PreparedRefine, RefinePlace } from './refine-setup.ts';

interface RelayObserver {
  /** A remark for the synthesis. */
  readonly note: (text: string) => void;
  readonly began: (backend: Name, how: string) => void;
  readonly ended: (backend: Name, outcome: RelayOutcome) => void;
}

type Outcomes = Map<Name, RelayOutcome>;
type Prompts = ReadonlyMap<Name, string>;

export class RefineRelay {
  readonly #prepared: PreparedRefine;
  readonly #place: RefinePlace;
  readonly #calls: RelayCalls;
  readonly #observer: RelayObserver;
  #team: RelayTeam | undefined;
  /** Where the record of an abandoned team is. */
  #left: TeamPaths | undefined;
  #isDirect: boolean;
  /** Who spends where no team does. */
  #own: RunSession['spender'] | undefined;

  constructor(prepared: PreparedRefine, place: RefinePlace, calls: RelayCalls, observer: RelayObserver) {
    this.#prepared = prepared;
    this.#place = place;
    this.#calls = calls;
    this.#observer = observer;
    this.#isDirect = prepared.ask.team === false;
    if (this.#isDirect) observer.note('Worked without a team: --no-team is set.');
  }

  /**
   * Asks some backends.
   *
   * @returns all outcomes, or those that had come when `signal` aborted
   */
  async ask(backends: readonly Name[], brief: Brief, signal: AbortSignal): Promise<Outcomes> {
    const { prompts, refused } = await this.#prompts(backends, brief, signal);
    if (this.#team === undefined) this.#own ??= await ownSpender(this.#place.session);
    const outcomes = prompts.size === 0 ? new Map<Name, RelayOutcome>() : await this.#relayed(prompts, signal);
    for (const [name, outcome] of [...refused, ...outcomes]) this.#observer.ended(name, outcome);
    return new Map([...refused, ...outcomes]);
  }

  /** Who spends: the lead of the team, or this process with the same limits. */
  get spender(): RunSession['spender'] | undefined {
    return this.#team?.spender ?? this.#own;
  }

  /**
   * Ends the team, if there is one.
   *
   * @returns where its record is
   */
  async close(now: boolean): Promise<TeamPaths | undefined> {
    const team = this.#team;
    this.#team = undefined;
    return team === undefined ? this.#left : team.end(now);
  }

  /**
   * The present diff; left out with a note if it has grown over its limit.
   *
   * @param backend with trees its own change, without one what landed
   */
  async diff(signal: AbortSignal, backend?: Name): Promise<string | undefined> {
    if (this.#prepared.ask.includeDiff !== true || signal.aborted) return undefined;
    if (this.#prepared.trees !== undefined) {
      const text = await this.#team?.changes(backend, signal);
      return text === undefined || this.#isDiff(Buffer.byteLength(text)) ? text : undefined;
    }
    const diff = await gitDiff(this.#place.cwd, signal, this.#prepared.repository);
    if (diff.ok) return diff.text;
    this.#isDiff(diff.bytes);
    return undefined;
  }

  /** Whether a diff may be in a prompt; that it is left out is noted. */
  #isDiff(bytes: number): boolean {
    if (bytes <= LIMITS.diff) return true;
    this.#observer.note(
      `The diff grew to ${thousands(bytes)} bytes (the limit is ${thousands(LIMITS.diff)}) and was left out.`,
    );
    return false;
  }

  /** Where the work of a backend lies, if it has a tree of its own. */
  placeOf(backend: Name): TreePlace | undefined {
    return this.#team?.placeOf(backend);
  }

  /** The folders of the team that asks the backends. */
  get folders(): readonly string[] {
    return this.#team?.folders ?? [];
  }

  /** Ends a round: with trees the change of its winner lands, if one of its results is the best so far. */
  async settle(winner: Name | undefined, signal: AbortSignal): Promise<void> {
    await this.#team?.settle(winner, signal);
  }

  async #prompts(backends: readonly Name[], brief: Brief, signal: AbortSignal) {
    const { ask, sandbox, trees } = this.#prepared;
    const diff = await this.diff(signal);
    const prompts = new Map<Name, string>();
    const refused: Outcomes = new Map();
    for (const name of backends) {
      const fitted = relayPrompt({
        task: ask.task,
        brief,
        sandbox: sandbox.sandbox,
        boundary: randomBytes(9).toString('hex'),
        diff,
        after: sandbox.sandbox === 'read-only' || trees !== undefined ? [] : [...prompts.keys()],
      });
      if (!fitted.ok) {
        refused.set(name, { kind: 'failed', why: 'overflow', message: refusalText(fitted.refusal) });
        continue;
      }
      if (fitted.isClipped) this.#observer.note(`Round ${brief.round}: the previous output was clipped to fit.`);
      prompts.set(name, fitted.prompt);
    }
    return { prompts, refused };
  }

  async #relayed(prompts: Prompts, signal: AbortSignal): Promise<Outcomes> {
    const isLong = [...prompts.values()].some((prompt) => prompt.length > LONGEST_PROMPT);
    if (isLong && this.#prepared.trees !== undefined)
      this.#abandonTeam(`a prompt is longer than ${thousands(LONGEST_PROMPT)} characters`);
    const answers = this.#isDirect || isLong ? undefined : await this.#byTeam(prompts, signal);
    if (answers === undefined) return this.#directly(prompts, signal);
    if (answers.silent.length === 0) return new Map(answers.outcomes);
    this.#abandonTeam(`${answers.silent.join(', ')} did not answer`);
    await this.#endTeam();
    const left = new Map([...prompts].filter(([name]) => answers.silent.includes(name)));
    return new Map([...answers.outcomes, ...(await this.#directly(left, signal))]);
  }

  /** @returns undefined if there is no team */
  async #byTeam(prompts: Prompts, signal: AbortSignal) {
    if (this.#team !== undefined) {
      for (const name of prompts.keys()) this.#observer.began(name, 'by its worker');
      return this.#team.ask(prompts, signal);
    }
    try {
      this.#team = await this.#makeTeam(prompts, signal);
    } catch (error) {
      this.#abandonTeam(error instanceof Error ? error.message : String(error));
      return undefined;
    }
    for (const name of prompts.keys()) this.#observer.began(name, `by its worker in team ${this.#team.name}`);
    return this.#team.first(signal);
  }

  #makeTeam(prompts: Prompts, signal: AbortSignal): Promise<RelayTeam> {
    const { ask, backends, sandbox, trees } = this.#prepared;
    const { cwd, envPass, relayTimeoutMs, open, session, isolation } = this.#place;
    return RelayTeam.open(
      {
        task: ask.task,
        backends,
        sandbox: sandbox.sandbox,
        prompts,
        cwd,
        envPass,
        open,
        session,
        timeoutMs: relayTimeoutMs,
        trees,
        needs: isolation?.needs,
      },
      signal,
    );
  }

  /** @throws AgentError `NO_ISOLATION` where each backend must have a tree of its own */
  #abandonTeam(why: string): void {
    if (this.#prepared.trees !== undefined)
      throw new AgentError('NO_ISOLATION', `Each backend has a tree of its own, and without its team none: ${why}`);
    this.#isDirect = true;
    this.#observer.note(`Worked without a team from here on: ${why}`);
  }

  async #endTeam(): Promise<void> {
    try {
      const account = this.#team?.account();
      if (account !== undefined) this.#own = await ownSpender(this.#place.session, account);
      this.#left = await this.close(true);
    } catch (error) {
      this.#observer.note(`The team was not archived: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Asks the backends one after the other. */
  async #directly(prompts: Prompts, signal: AbortSignal): Promise<Outcomes> {
    const outcomes: Outcomes = new Map();
    const { backends, sandbox } = this.#prepared;
    for (const { name, agent } of backends) {
      const prompt = prompts.get(name);
      if (prompt === undefined || signal.aborted) continue;
      this.#observer.began(name, 'directly');
      const isAsked = this.#prepared.ask.sandbox !== undefined;
      const call = {
        about: name,
        agent,
        prompt,
        sandbox: sandbox.sandbox,
        isAsked,
        timeoutMs: this.#place.relayTimeoutMs,
      };
      const end = await this.#calls.run(call, signal);
      if (end !== undefined) outcomes.set(name, relayOutcome(end, sandbox.sandbox));
    }
    return outcomes;
  }
}
