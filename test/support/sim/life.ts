/** One life of a simulated process: the results of its calls so far, and the runs that replay it. */
import type { Clock } from '../../../src/model/text/clock.ts';
import type { Disk } from '../../../src/store/files/disk.ts';
import type { LockEnvironment } from '../../../src/store/lock/lock.ts';
import { SimDisk } from './disk.ts';
import type { Note } from './history.ts';
import type { Machine } from './machine.ts';
import type { Node } from './nodes.ts';
import type { ProcessIdentity } from '../../../src/model/agent/process-identity.ts';

/** Thrown out of a call of a process that does not go on now, or ever. */
export const SUSPENDED = Object.assign(new Error('this process does not go on now'), { stack: '' });

/** What a process does. It is run from its start each time it goes on, so it may depend on nothing but its calls. */
export type Body = (run: Run) => void | Promise<void>;

/** The effect of a call on others. */
export type How = 'alone' | 'sees' | 'adds' | 'removes';

interface Call {
  readonly name: string;
  readonly path: string;
  readonly value: unknown;
  readonly error?: Error;
}

export interface Descriptor {
  readonly node: Node;
  readonly flags: number;
}

export class Life {
  readonly machine: Machine;
  readonly name: string;
  readonly number: number;
  readonly body: Body;
  readonly identity: ProcessIdentity;
  readonly calls: Call[] = [];
  readonly descriptors = new Map<number, Descriptor>();
  lastDescriptor = 2;
  state: 'running' | 'ended' | 'dead' = 'running';
  /** Asleep until this time; stopped until this step. */
  wakesAt = 0;
  pausedUntil = 0;
  /** Killed after so many changes of its own. */
  diesAfter = Number.POSITIVE_INFINITY;
  onKilled: () => void = () => {};
  #run: Run | undefined;

  constructor(machine: Machine, name: string, number: number, body: Body, pid = 100 + number) {
    this.machine = machine;
    this.name = name;
    this.number = number;
    this.body = body;
    this.identity = { pid, startTime: String(number), bootId: 'boot', pidNamespace: 'here' };
  }

  resume(): Run {
    this.#run = new Run(this);
    return this.#run;
  }

  die(): void {
    this.state = 'dead';
    if (this.#run) this.#run.isOver = true;
    this.descriptors.clear();
  }

  /** Its body returned or threw: because it was suspended, because it ended, or because it has an error. */
  ended(run: Run, error?: Error): void {
    if (run.isOver) return;
    run.isOver = true;
    if (error !== undefined) this.machine.crashes.push(`${this.name}: ${error.stack ?? error.message}`);
    this.state = 'ended';
    this.descriptors.clear();
  }
}

/** One run of a life: a replay up to its last point, and on from there until another process goes on. */
export class Run {
  readonly life: Life;
  readonly disk: Disk;
  /** It may make the call that it was stopped at. */
  isGranted = true;
  isOver = false;
  #at = 0;

  constructor(life: Life) {
    this.life = life;
    this.disk = new SimDisk(this) as unknown as Disk;
  }

  /** A call that sees what others did: any process may go on before it. */
  call<T>(name: string, path: string, perform: () => T): T {
    return this.#do(name, path, perform, 'sees');
  }

  /**
   * A call that others can see.
   * @param how a call that replaces or removes something often rests on a look that is out of date
   */
  change<T>(name: string, path: string, perform: () => T, how: 'adds' | 'removes' = 'adds'): T {
    return this.#do(name, path, perform, how);
  }

  /** Reads something that changes without calls. */
  look<T>(name: string, perform: () => T): T {
    return this.#do(name, '', perform, 'alone');
  }

  /** Records for the checker that this happened here. */
  note(note: Note | (() => Note)): void {
    this.look('note', () => this.life.machine.note(this.life, typeof note === 'function' ? note() : note));
  }

  sleep(ms: number): void {
    const { life } = this;
    this.look('sleep', () => {
      life.wakesAt = life.machine.now + ms;
      this.isGranted = false;
    });
  }

  get clock(): Clock {
    const { machine } = this.life;
    const now = (): number => this.look('now', () => machine.now);
    const sleep = (ms: number): Promise<void> => {
      this.sleep(ms);
      return Promise.resolve();
    };
    return { now, monotonic: now, sleep };
  }

  /** For `Locks`: identity, life and a pause that does not block other processes. */
  get lockEnvironment(): LockEnvironment {
    const { machine, identity } = this.life;
    const alive: LockEnvironment['alive'] = (who) => this.call('alive', String(who.pid), () => machine.alive(who));
    return { disk: this.disk, clock: this.clock, identity, alive, random: () => 20 };
  }

  #do<T>(name: string, path: string, perform: () => T, how: How): T {
    if (this.isOver) throw SUSPENDED;
    const call = this.life.calls[this.#at];
    if (call) {
      this.#replayed(call, name, path);
      return call.value as T;
    }
    if (how !== 'alone') this.life.machine.turn(this, how);
    this.#at += 1;
    try {
      const value = perform();
      if (how === 'adds' || how === 'removes') this.life.machine.changed(this.life);
      if (this.life.state === 'dead') throw SUSPENDED;
      this.life.calls.push({ name, path, value });
      return value;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.life.calls.push({ name, path, value: undefined, error });
      throw error;
    }
  }

  #replayed(call: Call, name: string, path: string): void {
    this.#at += 1;
    if (call.name !== name || call.path !== path)
      throw new Error(`${this.life.name} is not deterministic: ${name} ${path} where ${call.name} ${call.path} was`);
    if (call.error) throw call.error;
  }
}
