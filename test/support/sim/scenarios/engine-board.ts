/**
 * One board on two machines, whose order a store makes: the processes of `board.ts` append through the port of the board,
 * and the relay of each machine puts their records into the order and writes the replica (`src/store/engine/replica.ts`).
 * Relays and members are killed anywhere, writes are short, disks are full, a machine loses its power. The store itself
 * keeps what it has, and counts a record once.
 */
import { isTeamError } from '../../../../src/model/text/errors.ts';
import { BoardStore } from '../../../../src/store/board/board.ts';
import { Replica } from '../../../../src/store/engine/replica.ts';
import { name } from '../../team.ts';
import type { Plan } from '../faults.ts';
import type { Body, Run } from '../life.ts';
import { setLaw } from '../law.ts';
import { Machine } from '../machine.ts';
import { Random } from '../random.ts';
import { again, lay } from './board.ts';
import { byAppending, creates, folded, rules, untilItFails, works, type Team } from './board-processes.ts';
import { PATHS } from './inbox.ts';

const PLAN: Plan = { within: 400, kills: 5, pauses: 2, shortWrites: 3, full: true };
const MEMBERS = [name('ada'), name('bob'), name('cy')];
/** The log of each machine. */
const LOGS = [PATHS.log, `${PATHS.board}/there.jsonl`] as const;
const POLL_MS = 5;
const LIVES = 30;

/** The order that the store makes. */
class Order {
  readonly lines: string[];
  readonly #known: Set<string>;

  constructor(lines: readonly string[]) {
    this.lines = [...lines];
    this.#known = new Set(lines);
  }

  append(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#known.has(line)) continue;
      this.#known.add(line);
      this.lines.push(line);
    }
  }

  get text(): string {
    return this.lines.map((line) => `\n${line}\n`).join('');
  }
}

/** What processes of a machine ask their relay. */
interface Asked {
  readonly log: string;
  readonly waiting: Set<string>;
  readonly answered: Set<string>;
}

/** What the checker must see: a store that has lost a record, a relay that answers before its replica has the record. */
export type EngineMutant = 'forgets' | 'answers early';

export async function engineBoardScenario(seed: number, mutant?: EngineMutant): Promise<Machine> {
  setLaw({});
  const random = new Random(seed);
  const machine = new Machine(random, { ...PLAN, powerLoss: random.chance(0.15) });
  const begun = lay(machine, LOGS);
  const order = new Order(begun);
  const hosts = LOGS.map((log): Asked => ({ log, waiting: new Set(), answered: new Set() }));
  const teams = hosts.map((host): Team => ({ machine, open: (run) => opened(run, host), claim: byAppending }));
  const start = (): void => {
    for (const host of hosts) again(machine, 'relay', relays(machine, order, host, mutant === 'answers early'), LIVES);
  };
  const someTeam = (): Team => teams[random.below(teams.length)] ?? teams[0] ?? never();
  start();
  for (const member of MEMBERS) again(machine, member, works(someTeam(), member), 2);
  if (random.chance(0.4)) machine.start('ada', works(someTeam(), name('ada')));
  for (let leads = random.below(4); leads > 0; leads -= 1) again(machine, 'lead', rules(someTeam()), 1);
  for (let people = random.below(3); people > 0; people -= 1)
    machine.start('person', creates(someTeam(), random.below(3)));
  await machine.run();
  if (mutant === 'forgets') order.lines.splice(begun.length, 1);
  machine.faults.isHealed = true;
  await machine.run();
  // After a loss of power: what a crash has cut off is written again. Then all is in both that processes asked for last.
  for (let pass = 0; pass < 2; pass += 1) {
    start();
    await machine.run();
  }
  for (const team of teams) machine.start('last', (run) => untilItFails(run, () => folded(run, team.open(run))));
  await machine.run();
  for (const log of LOGS)
    if (machine.files.text(log) !== order.text) machine.crashes.push(`${log} is not what the store has`);
  return machine;
}

const never = (): never => {
  throw new Error('There are two machines.');
};

function opened(run: Run, { log, waiting, answered }: Asked): BoardStore {
  const commit = (line: string): Promise<void> => {
    run.change('ask', line, () => void waiting.add(line));
    // A relay that is killed is started again, and the record is asked for until one has answered.
    while (!run.call('answered', line, () => answered.has(line))) run.sleep(POLL_MS);
    return Promise.resolve();
  };
  return new BoardStore(log, { disk: run.disk, clock: run.clock, commit });
}

/** A relay: in each round the records that wait go to the store, and its new ones into the replica; then all are answered. */
const relays =
  (machine: Machine, order: Order, host: Asked, isEarly: boolean): Body =>
  (run) => {
    const isNeeded = (): boolean =>
      run.call('is needed', host.log, () =>
        machine.lives.some(({ name: who, state }) => state === 'running' && who !== 'relay'),
      );
    for (let isLast = false; !isLast;) {
      isLast = !isNeeded();
      try {
        serve(run, order, host, isEarly);
      } catch (error) {
        // Its disk is full: it ends, and is started again.
        if (!isTeamError(error) || error.code === 'ENGINE_DIVERGED') throw error;
        isLast = false;
      }
      run.sleep(POLL_MS);
    }
  };

function serve(run: Run, order: Order, { log, waiting, answered }: Asked, isEarly: boolean): void {
  const replica = new Replica(run.disk, 'T', { what: 'team login', path: log });
  const { number, line } = replica.position;
  const there = run.call('line', String(number), () => order.lines[number - 1]);
  if (there !== line) throw replica.diverged();
  const asked = run.call('waiting', log, () => [...waiting]);
  const answer = (): void => {
    for (const one of asked) {
      waiting.delete(one);
      answered.add(one);
    }
  };
  if (asked.length > 0) run.change('append', log, () => order.append(asked));
  if (isEarly) run.change('answer', log, answer);
  replica.append(run.call('after', String(number), () => order.lines.slice(number)));
  if (asked.length > 0 && !isEarly) run.change('answer', log, answer);
}
