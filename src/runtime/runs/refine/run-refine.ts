/**
 * Runs the refine loop (docs/specification.md R9.11): carries out the loop's commands until there are no more. However
 * it ends, every process is stopped and the team is archived before the synthesis is made.
 */
import { timestamp } from '../../../model/text/clock.ts';
import { notEnforcedText, type NotEnforced } from '../../../model/team/not-enforced.ts';
import type { Name } from '../../../model/text/names.ts';
import { advanceLoop, beginLoop } from '../../../policy/refine/convergence.ts';
import {
  present,
  type LoopCommand,
  type LoopEnding,
  type Loop,
  type LoopOutcome,
} from '../../../policy/refine/refine-loop.ts';
import { briefOf } from '../../../policy/refine/round-brief.ts';
import { synthesise, type Synthesis } from '../../../policy/refine/synthesis.ts';
import type { TeamPaths } from '../../../store/files/paths.ts';
import { realDisk } from '../../../store/files/disk.ts';
import { notInAStore, replicaOf } from '../../../store/replica/replica-root.ts';
import { requireOwnProject } from '../../../store/team/create-store.ts';
import { requireIsolation } from '../../tools/subagent-isolation.ts';
import { RelayCalls } from '../relay-call.ts';
import { keepSynthesis, type RefineReport } from './refine-report.ts';
import { RefineRelay } from './refine-relay.ts';
import { reviewAll } from './refine-review.ts';
import { prepareRefine, type PreparedRefine, type RefineAsk, type RefinePlace } from './refine-setup.ts';

export interface RefineProgress {
  /** 0 before the first round. */
  readonly round: number;
  readonly maxRounds: number;
  readonly phase: 'prepare' | 'do' | 'wait' | 'review' | 'decide' | 'clean up';
  readonly backend?: string;
  readonly elapsedMs: number;
  readonly text: string;
}

export interface RefineRun {
  /** When aborted, the loop ends, with a synthesis of what there is. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RefineProgress) => void;
}

/**
 * @returns the synthesis, also of a loop that was stopped or failed
 * @throws UsageError, AgentError `AGENT_UNAVAILABLE`, StoreError `ENGINE_UNFIT` for a team in a store: all before anything
 *   is started
 */
export async function refineAt(ask: RefineAsk, place: RefinePlace, run: RefineRun = {}): Promise<RefineReport> {
  requireOwnProject(place.open.root);
  if (ask.team !== false && replicaOf(realDisk, place.open.root) !== undefined)
    throw notInAStore('a refine loop makes');
  await requireIsolation(place.cwd, { setting: place.session.isolation ?? 'auto', environment: place.environment });
  const prepared = await prepareRefine(ask, place, run.signal ?? new AbortController().signal);
  const refinement = new Refinement(prepared, place, run);
  return refinement.run();
}

class Refinement {
  readonly #prepared: PreparedRefine;
  readonly #place: RefinePlace;
  readonly #signal: AbortSignal;
  readonly #onProgress: (progress: RefineProgress) => void;
  readonly #calls: RelayCalls;
  readonly #relay: RefineRelay;
  readonly #notes: string[] = [];
  readonly #since: number;
  readonly #sinceTime: number;
  #loop: Loop;
  #phaseSince: number;
  #record: TeamPaths | undefined;

  constructor(prepared: PreparedRefine, place: RefinePlace, { signal, onProgress = () => {} }: RefineRun) {
    const { clock } = place.session.store;
    this.#prepared = prepared;
    this.#place = place;
    this.#signal = signal ?? new AbortController().signal;
    this.#onProgress = onProgress;
    this.#since = clock.monotonic();
    this.#sinceTime = clock.now();
    this.#phaseSince = this.#since;
    this.#calls = new RelayCalls({
      ...place,
      isolation: place.session.isolation ?? 'auto',
      lend: place.session.lend,
      team: () => this.#relay.folders,
      onNotEnforced: this.#notEnforced,
      spender: () => this.#relay.spender,
    });
    this.#relay = new RefineRelay(prepared, place, this.#calls, {
      note: (text) => this.#note(text),
      began: (backend, how) => this.#tell('do', `asked ${how}`, backend),
      ended: (backend, one) =>
        this.#tell('do', one.kind === 'success' ? 'delivered' : `${one.why}: ${one.message}`, backend),
    });
    this.#loop = beginLoop({
      backends: prepared.backends.map(({ name }) => name),
      maxRounds: prepared.maxRounds,
      inTurn: prepared.sandbox.sandbox !== 'read-only' && prepared.trees === undefined,
      rubric: prepared.rubric,
    });
  }

  readonly #notEnforced = (told: NotEnforced): void => {
    const text = `Not enforced: ${notEnforcedText(told)}.`;
    if (!this.#notes.includes(text)) this.#note(text);
  };

  async run(): Promise<RefineReport> {
    for (const warning of this.#prepared.warnings) this.#note(warning);
    while (this.#loop.command.do !== 'synthesise') this.#loop = advanceLoop(this.#loop, await this.#next());
    const synthesis = this.#synthesis();
    const durationMs = this.#place.session.store.clock.monotonic() - this.#since;
    const report = keepSynthesis(synthesis, this.#place, {
      record: this.#record,
      durationMs,
      validated: present(this.#loop).validation,
      begunAt: timestamp(this.#sinceTime),
    });
    this.#loop = advanceLoop(this.#loop, { kind: 'synthesise' });
    return report;
  }

  /** The outcome of the present command; an error of our own ends the loop in order. */
  async #next(): Promise<LoopOutcome> {
    const { command, ending } = this.#loop;
    if (this.#signal.aborted && ending === undefined) return stop();
    this.#phaseSince = this.#place.session.store.clock.monotonic();
    try {
      return await this.#carryOut(command);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (ending === undefined) return { kind: 'stop', ending: { why: 'error', text } };
      this.#note(`The clean-up was incomplete: ${text}`);
      return { kind: 'clean up' };
    }
  }

  async #carryOut(command: LoopCommand): Promise<LoopOutcome> {
    switch (command.do) {
      case 'relay':
        return this.#relayed(command.backends);
      case 'wait':
        this.#tell('wait', `all backends are rate-limited; continuing in ${Math.ceil(command.ms / 1_000)} s`);
        await this.#place.session.store.clock.sleep(command.ms, this.#signal);
        return this.#signal.aborted ? stop() : { kind: 'wait' };
      case 'review':
        return this.#reviewed(command);
      case 'clean up':
        await this.#cleanUp();
        return { kind: 'clean up' };
      case 'synthesise':
      case 'nothing':
        return { kind: 'synthesise' };
    }
  }

  async #relayed(backends: readonly Name[]): Promise<LoopOutcome> {
    const outcomes = await this.#relay.ask(backends, briefOf(this.#loop), this.#signal);
    return this.#signal.aborted ? { ...stop(), outcomes } : { kind: 'relay', outcomes };
  }

  async #reviewed({ candidates }: Extract<LoopCommand, { do: 'review' }>): Promise<LoopOutcome> {
    this.#tell('review', `reviewing ${candidates.map(({ backend }) => backend).join(', ')}`);
    const place = { prepared: this.#prepared, place: this.#place, calls: this.#calls };
    const reviews = await reviewAll(candidates, {
      ...place,
      relay: this.#relay,
      signal: this.#signal,
      onNotEnforced: this.#notEnforced,
    });
    if (reviews === undefined) return stop();
    const outcome: LoopOutcome = { kind: 'review', ...reviews };
    const round = present(this.#loop).n;
    const next = advanceLoop(this.#loop, outcome);
    const best = next.best?.candidate;
    await this.#relay.settle(best?.round === round ? best.backend : undefined, this.#signal);
    this.#tellDecision(next, round);
    return outcome;
  }

  #tellDecision(next: Loop, round: number): void {
    const selection = next.rounds[round - 1]?.selection;
    if (selection === undefined) return;
    const { candidate, standing } = selection.chosen;
    const said = standing.converged ? 'converged' : `not yet: ${standing.unresolved[0] ?? ''}`;
    this.#tell('decide', said, candidate.backend);
  }

  async #cleanUp(): Promise<void> {
    const why: LoopEnding['why'] | undefined = this.#loop.ending?.why;
    this.#tell('clean up', 'stopping every process');
    try {
      this.#record = await this.#relay.close(why === 'interrupted' || why === 'error');
    } finally {
      await this.#calls.close();
    }
  }

  #synthesis(): Synthesis {
    const { ask, backends, skipped, sandbox } = this.#prepared;
    return synthesise(this.#loop, { task: ask.task, backends, skipped, sandbox, notes: this.#notes });
  }

  #note(text: string): void {
    if (this.#notes.includes(text)) return;
    this.#notes.push(text);
    this.#tell('prepare', text);
  }

  #tell(phase: RefineProgress['phase'], text: string, backend?: string): void {
    const elapsedMs = this.#place.session.store.clock.monotonic() - this.#phaseSince;
    const round = phase === 'prepare' ? 0 : present(this.#loop).n;
    const where = { round, maxRounds: this.#prepared.maxRounds, phase, elapsedMs, text };
    this.#onProgress(backend === undefined ? where : { ...where, backend });
  }
}

const stop = (): Extract<LoopOutcome, { kind: 'stop' }> => ({
  kind: 'stop',
  ending: { why: 'interrupted', text: 'interrupted before its end' },
});
