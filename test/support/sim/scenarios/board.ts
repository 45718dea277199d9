/**
 * One board: members that claim, complete and are restarted, leads that take over from one another, people who create
 * tasks at once, torn writes, a power loss, and now and then a program of a newer version.
 */
import type { Body as Change } from '../../../../src/model/board/event.ts';
import { BoardStore } from '../../../../src/store/board/board.ts';
import type { Disk } from '../../../../src/store/files/disk.ts';
import { eventOf, name, task } from '../../team.ts';
import { nameAs, ulid } from '../chance.ts';
import type { Plan } from '../faults.ts';
import type { Body, Run } from '../life.ts';
import { setLaw, type Law } from '../law.ts';
import { Machine } from '../machine.ts';
import { Random } from '../random.ts';
import {
  byAppending,
  creates,
  folded,
  newer,
  rules,
  untilItFails,
  works,
  type Claim,
  type Team,
} from './board-processes.ts';
import { PATHS } from './inbox.ts';

export interface BoardVariant {
  readonly law?: Law;
  /** The disk under the log. */
  readonly diskOf?: (run: Run) => Disk;
  readonly claim?: Claim;
  readonly plan?: Plan;
}

const ownDisk = ({ disk }: Run): Disk => disk;

const PLAN: Plan = { within: 250, kills: 3, pauses: 2, shortWrites: 2, full: true };
const MEMBERS = [name('ada'), name('bob'), name('cy')];

export async function boardScenario(seed: number, variant: BoardVariant = {}): Promise<Machine> {
  const { law = {}, diskOf = ownDisk, claim = byAppending, plan = PLAN } = variant;
  setLaw(law);
  const random = new Random(seed);
  const machine = new Machine(random, { ...plan, powerLoss: random.chance(0.1) });
  lay(machine);
  const open = (run: Run): BoardStore => new BoardStore(PATHS.log, { disk: diskOf(run), clock: run.clock });
  const team: Team = { machine, open, claim };
  for (const member of MEMBERS.slice(0, 2 + random.below(2))) again(machine, member, works(team, member), 2);
  if (random.chance(0.4)) machine.start('ada', works(team, name('ada')));
  for (let leads = random.below(4); leads > 0; leads -= 1) again(machine, 'lead', rules(team), 1);
  for (let people = random.below(3); people > 0; people -= 1) machine.start('person', creates(team, random.below(3)));
  if (random.chance(0.1)) machine.start('newer', newer);
  await machine.run();
  machine.faults.isHealed = true;
  await machine.run();
  machine.start('last', (run) => untilItFails(run, () => folded(run, open(run))));
  await machine.run();
  return machine;
}

export function again(machine: Machine, who: string, body: Body, lives: number): void {
  machine.start(who, body, () => lives > 1 && again(machine, who, body, lives - 1));
}

/**
 * A team with three members and three tasks, of which one waits for another.
 *
 * @param logs the files that have it
 * @returns its records
 */
export function lay(machine: Machine, logs: readonly string[] = [PATHS.log]): string[] {
  nameAs(0);
  const { files } = machine;
  for (const path of ['/.teams', PATHS.folder, '/.tasks', PATHS.board]) files.mkdir(path);
  const created = (id: string, blockedBy: string[] = []): Change => ({
    type: 'task.created',
    task: id,
    fields: { ...task(`Task ${id}`), blockedBy },
  });
  const says: Change[] = [
    { type: 'log.opened', team: ulid(), name: PATHS.name },
    { type: 'team.opened', profile: 'v8', claim: 'auto' },
    ...MEMBERS.map((member): Change => ({ type: 'member.joined', name: member, role: name('executor'), prefixes: [] })),
    created('1'),
    created('2', ['1']),
    created('3'),
  ];
  const lines = says.map((change) => JSON.stringify(eventOf(change)));
  const text = lines.map((line) => `\n${line}\n`).join('');
  for (const log of logs) files.create(log, 0o600).write(Buffer.from(text), 0, 0);
  files.sync();
  return lines;
}
