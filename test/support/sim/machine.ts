/**
 * A machine with many processes; a seed decides which one goes on next. The store's code is synchronous and cannot be
 * stopped in the middle. So a process is stopped by an exception out of its next file call, and goes on by being run
 * again from its start with the earlier results of its calls, up to the call where it was. What an unwinding process
 * still tries (`finally` blocks) has no effect.
 */
import type { Liveness as Alive } from '../../../src/os/process-table.ts';
import { nameAs } from './chance.ts';
import { FileSystem } from './filesystem.ts';
import { Faults, type Plan } from './faults.ts';
import type { Note, Noted } from './history.ts';
import { foldAs } from './law.ts';
import { Life, SUSPENDED, type Body, type How, type Run } from './life.ts';
import type { Random } from './random.ts';
import type { ProcessIdentity } from '../../../src/model/agent/process-identity.ts';

/** More steps than any run needs: a process that is not done by then waits for ever. */
const LAST_STEP = 20_000;
const STEP_MS = 0.05;
/**
 * The probability that a process goes on before a call: races happen between a look and the change that rests on it.
 */
const STAYS: Readonly<Record<How, number>> = { alone: 1, sees: 0.99, adds: 0.92, removes: 0.6 };

export class Machine {
  readonly random: Random;
  readonly files: FileSystem;
  readonly notes: Noted[] = [];
  readonly faults: Faults;
  /** Errors of the programs themselves. */
  readonly crashes: string[] = [];
  readonly lives: Life[] = [];
  hasLostPower = false;
  powerLostAt = 0;
  steps = 0;
  #changes = 0;
  #now = 1_000;
  #next: Life | undefined;
  /** How much more often than usual the running process changes. */
  readonly #haste: number;

  constructor(random: Random, plan: Plan = {}) {
    this.random = random;
    this.files = new FileSystem(() => this.#now);
    this.faults = new Faults(random, plan);
    this.#haste = random.of([0.5, 1, 2, 4]);
  }

  /** Monotonic milliseconds; wall time has the same origin. */
  get now(): number {
    return this.#now;
  }

  /**
   * Starts a process.
   * @param onKilled what another process does after the kill, for example start it again
   */
  start(name: string, body: Body, onKilled?: () => void): Life {
    const reused = this.random.chance(0.2) ? this.lives.find((life) => life.state === 'dead') : undefined;
    const life = new Life(this, name, this.lives.length + 1, body, reused?.identity.pid);
    if (onKilled) life.onKilled = onKilled;
    this.lives.push(life);
    return life;
  }

  alive(who: ProcessIdentity): Alive {
    const isAlive = this.lives.some(
      ({ identity, state }) => state === 'running' && identity.pid === who.pid && identity.startTime === who.startTime,
    );
    return isAlive ? 'alive' : 'dead';
  }

  /** Runs until every process has ended, was killed, or waits for ever. */
  async run(): Promise<void> {
    const { setImmediate } = globalThis;
    // Work that the store delays to the next tick runs in the next microtask: a process is alone in its turn.
    globalThis.setImmediate = queueMicrotask as unknown as typeof setImmediate;
    try {
      for (let life = this.#pick(); life; life = this.#next ?? this.#pick()) await this.#resume(life);
    } finally {
      globalThis.setImmediate = setImmediate;
      foldAs(undefined);
    }
  }

  async #resume(life: Life): Promise<void> {
    this.#next = undefined;
    nameAs(life.number);
    const run = life.resume();
    foldAs(run);
    try {
      await life.body(run);
      life.ended(run);
    } catch (error) {
      life.ended(run, error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Asked before each call that others can see: goes on, or throws because another process goes on. */
  turn(run: Run, how: How): void {
    if (run.isGranted) run.isGranted = false;
    else {
      const next = this.#pick(run.life, how);
      if (next === run.life) return;
      this.#next = next;
      run.isOver = true;
      throw SUSPENDED;
    }
  }

  /** Called after each change. */
  changed(life: Life): void {
    this.#changes += 1;
    life.diesAfter -= 1;
    if (life.diesAfter <= 0 || this.faults.isKilledAfter(this.#changes)) this.kill(life);
  }

  note(life: Life, note: Note): void {
    this.notes.push({ ...note, by: life.name, life: life.number, at: this.steps });
  }

  kill(life: Life): void {
    if (life.state !== 'running') return;
    life.die();
    this.note(life, { kind: 'killed' });
    life.onKilled();
  }

  /** All processes die, and unsynced data may be gone. */
  losePower(): void {
    for (const life of this.lives) {
      life.onKilled = () => {};
      this.kill(life);
    }
    this.files.losePower(this.random);
    this.hasLostPower = true;
    this.powerLostAt = this.steps;
  }

  pass(ms: number): void {
    this.#now += ms;
  }

  #pick(current?: Life, how: How = 'sees'): Life | undefined {
    this.steps += 1;
    this.#now += STEP_MS;
    if (this.steps > LAST_STEP) return undefined;
    if (this.faults.isPowerLost(this.steps)) this.losePower();
    const next = this.#choose(current, how);
    if (next === undefined || !this.faults.isKilled(this.steps)) return next;
    this.kill(next);
    return this.#choose();
  }

  #choose(current?: Life, how: How = 'sees'): Life | undefined {
    const ready = this.lives.filter((life) => this.#isReady(life));
    const [first] = ready;
    if (first === undefined) return this.#wait(this.lives.filter(({ state }) => state === 'running'));
    if (current && this.#isReady(current) && this.random.chance(STAYS[how] ** this.#haste)) return current;
    const next = ready[this.random.below(ready.length)] ?? first;
    const pause = this.faults.pause(this.steps);
    if (pause === 0 || ready.length === 1) return next;
    next.pausedUntil = this.steps + pause;
    return this.#choose();
  }

  #isReady({ state, wakesAt, pausedUntil }: Life): boolean {
    return state === 'running' && wakesAt <= this.#now && pausedUntil <= this.steps;
  }

  /** No process can go on now: time passes, or, if all are stopped, one is released. */
  #wait(running: readonly Life[]): Life | undefined {
    if (running.length === 0) return undefined;
    const [first, ...rest] = running.filter(({ pausedUntil }) => pausedUntil <= this.steps);
    if (first === undefined) for (const life of running) life.pausedUntil = 0;
    else this.#now = Math.max(this.#now, Math.min(...[first, ...rest].map(({ wakesAt }) => wakesAt)));
    return this.#choose();
  }
}
