/**
 * One team that is the target of many aimed kills. A process is started ahead and kills or stops itself at its aim,
 * then a survivor in this process does the same work. At the end every history is compared with the files.
 */
import { readdirSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { isTeamError } from '../../../src/model/text/errors.ts';
import { segmentsOf } from '../../../src/store/mail/inbox-files.ts';
import { stateOf } from '../../../src/os/process-table.ts';
import { KEEP_MS, Reader } from '../../../src/store/mail/reader.ts';
import { FakeClock } from '../clock.ts';
import { fastClock } from '../clock-fast.ts';
import { leftFiles } from '../leftovers.ts';
import { program } from '../programs.ts';
import { inMemory, tempDir } from '../temp.ts';
import { start, until, type Worker } from '../workers.ts';
import { actorIn, historyIn, makeTeam } from './actor.ts';
import { aimsAt, type Aim, type AimedCall } from './aim.ts';
import { judge, judgeUse, notesIn } from './history.ts';
import { HIT, SURVIVOR, type Actor, type Scenario } from './scenario.ts';

/** Processes that are started ahead: the start of Node is most of the time of a kill. */
const AHEAD = 3;
/** The survivor's time-outs of 15 s are over after 60 ms. */
const HASTE = 250;

export type Signal = 'SIGKILL' | 'SIGSTOP';

/** One team, the target of many aimed kills. */
export class Range {
  readonly times: number[] = [];
  hits = 0;
  readonly #root = tempDir(inMemory());
  readonly #name: string;
  readonly #scenario: Scenario;
  readonly #signal: Signal;
  readonly #survivor: Actor;
  readonly #ready: Promise<Worker>[] = [];

  constructor(name: string, scenario: Scenario, signal: Signal) {
    this.#name = name;
    this.#scenario = scenario;
    this.#signal = signal;
    makeTeam(this.#root);
    const clock = fastClock();
    // A survivor that waits for a stopped process gives up before the test does.
    if (signal === 'SIGSTOP') clock.race(HASTE);
    this.#survivor = actorIn(this.#root, SURVIVOR, undefined, clock);
    onTestFinished(() => this.#survivor.store.close());
  }

  /** Every point of the scenario, from one undisturbed run. */
  async aims(): Promise<Aim[]> {
    await this.#scenario.prepare?.(this.#survivor);
    const worker = await this.#next();
    worker.go('null');
    const counts = (await worker.result<[AimedCall, number][]>()) ?? [];
    return aimsAt(new Map(counts));
  }

  async shoot(aim: Aim): Promise<void> {
    await this.#scenario.prepare?.(this.#survivor);
    const worker = await this.#next();
    worker.go(JSON.stringify(aim));
    if (this.#signal === 'SIGSTOP') await this.#whileStopped(worker);
    await worker.result();
    if (worker.child.signalCode === 'SIGKILL') this.hits += 1;
    const begun = performance.now();
    await this.#survive();
    this.times.push(performance.now() - begun);
    expect(this.#swept(), JSON.stringify(aim)).toEqual([]);
  }

  async #survive(): Promise<void> {
    await (this.#scenario.survive ?? this.#scenario.act)(this.#survivor);
  }

  /** The violations, in words. */
  async judged(): Promise<string[]> {
    const { store } = this.#survivor;
    for (const worker of this.#ready.splice(0)) await (await worker).kill();
    const lives = notesIn(historyIn(this.#root));
    const notes = lives.flat();
    const wrong = Object.entries(this.#scenario.there).flatMap(([op, there]) => judge(op, notes, there(store)));
    const open = [...store.board.fold().tasks.values()].filter(({ status }) => status !== 'completed');
    const refused = this.#signal === 'SIGKILL' ? notes.filter(({ op, kind }) => op === 'lease' && kind === 'fail') : [];
    return [
      ...wrong,
      ...open.map(({ id, status }) => `task ${id}: ${status}`),
      ...refused.map(() => 'a dead lead kept its lease'),
      ...(this.#name === 'take' ? await this.#judgedMail(lives) : []),
    ];
  }

  async #judgedMail(lives: Parameters<typeof judgeUse>[0]): Promise<string[]> {
    const { paths, disk, locks } = this.#survivor.store;
    const clock = new FakeClock();
    const reader = new Reader(paths, HIT, { disk, clock, locks, isCurrent: () => true });
    const left = await reader.take();
    for (let again = 0; again < 2; again += 1) {
      clock.advance(KEEP_MS + 1);
      reader.tidy();
    }
    reader.close();
    const files = segmentsOf(disk, paths.inbox(HIT));
    const sent = lives.flatMap((notes) =>
      notes.flatMap(({ op, id, kind }) => (op === 'sent' && kind === 'ok' ? [id] : [])),
    );
    return [
      ...judgeUse(lives, sent),
      ...left.map(({ id }) => `${id}: left over`),
      ...files.map((file) => `${file} stays`),
    ];
  }

  /** The process stops; the survivor goes on or learns which process holds what; the process goes on. */
  async #whileStopped(worker: Worker): Promise<void> {
    const hasEnded = (): boolean => worker.child.exitCode !== null || worker.child.signalCode !== null;
    await until(() => hasEnded() || stateOf(worker.pid) === 'T');
    if (!hasEnded()) {
      this.hits += 1;
      await this.#survive().catch(onlyTimeouts);
    }
    worker.child.kill('SIGCONT');
  }

  /** S4: locks, guards, unfinished tokens and temporary files after a sweep. */
  #swept(): string[] {
    const { locks, paths } = this.#survivor.store;
    locks.sweep([paths.folder, paths.processes, paths.board]);
    const left = leftFiles([paths.folder, paths.board]);
    return [...left, ...readdirSync(paths.tokens).filter((token) => !token.startsWith(`${process.pid}-`))];
  }

  async #next(): Promise<Worker> {
    while (this.#ready.length < AHEAD) this.#ready.push(this.#started());
    const worker = await this.#ready.shift();
    if (worker === undefined) throw new Error('no process was started');
    return worker;
  }

  async #started(): Promise<Worker> {
    const worker = start(process.execPath, [program('aimed-worker'), this.#root, this.#name, this.#signal], this.#root);
    await worker.next();
    return worker;
  }
}

/** L3: the lock of a stopped process is waited for, and the wait ends. */
function onlyTimeouts(error: unknown): void {
  if (!isTeamError(error) || error.code !== 'LOCK_TIMEOUT') throw error;
}
