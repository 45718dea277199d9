/** `why` and `status` from a checkpoint and an index: the same answers, without reading what they cover. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/model/board/event.ts';
import { newTaskSchema } from '../../../src/model/board/task.ts';
import { isTeamError } from '../../../src/model/text/errors.ts';
import { indexEvents, IndexedEvents } from '../../../src/runtime/process/event-indexing.ts';
import { statusOf } from '../../../src/runtime/views/status.ts';
import { why } from '../../../src/runtime/views/why.ts';
import { realDisk, type Disk } from '../../../src/store/files/disk.ts';
import { openForReading, type TeamReader } from '../../../src/store/team/team-reader.ts';
import { keepCheckpoint } from '../../support/checkpoint.ts';
import { countingDisk } from '../../support/counting-disk.ts';
import { SIZES, TIMEOUT_MS } from '../../support/sizes.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const MIB = 1024 * 1024;
const Q = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const OTHER_Q = '01ARZ3NDEKTSV4RRFFQ69G5FAW';

/** `STORIES=5:1000` plays 1,000 stories of seed 5. */
const [seed = 17, stories] = (process.env['STORIES'] ?? '')
  .split(':')
  .flatMap((text) => (text === '' ? [] : Number(text)));

/** A checkpoint is read only of a log that is long enough: noise makes it so. */
const long = (team: ToldTeam): ToldTeam => {
  appendFileSync(team.store.paths.log, `\n${'x'.repeat(MIB)}\n`);
  return team;
};

const told = (): ToldTeam =>
  long(
    new ToldTeam({ ada: 'explorer/claude', bob: 'executor/claude' })
      // Of events of one time the order is not known.
      .wait(7)
      .ledByUs()
      .started('ada', 'bob')
      .process('ada', 'alive')
      .process('bob', 'alive'),
  );

const MEMBERS = ['ada', 'bob'];
const TASKS = ['1', '2', '3', '4', '5', '6'];

const nextId = (team: ToldTeam): number => team.store.board.fold().lastTaskId + 1;

const created = (id: number, blockedBy: string[] = []): Change => ({
  type: 'task.created',
  task: String(id),
  fields: newTaskSchema.parse({ subject: 'One of two', blockedBy }),
});

type Deed = (team: ToldTeam, member: string, task: string) => unknown;

const DEEDS: readonly Deed[] = [
  (team, member, task) =>
    team.add(`Task`, { owner: member, blockedBy: team.store.board.board.tasks.has(task) ? [task] : [] }),
  (team, member) => team.add('Free', { owner: member }),
  (team, member, task) => team.claim(task, member),
  (team, member, task) => team.complete(task, member),
  (team, member, task) => team.fail(task, member, 'it broke'),
  (team, _, task) => team.say({ type: 'task.released', task, epoch: 1, reason: 'fenced', why: 'silent' }),
  (team, member, task) =>
    team.as(member, { type: 'request.made', request: Q, kind: 'question', about: task, text: '?' }),
  (team) => team.say({ type: 'request.answered', request: Q, approve: true, text: 'Yes.' }),
  (team, member) => team.started(member),
  (team, member, task) => team.note('agent.said', { member, task, text: 'hm' }),
  (team, member, task) => team.note('agent.failed', { member, task, text: 'refused', retry_after_ms: 60_000 }),
  (team, member, task) => team.note('phase.ended', { member, task }),
  (team, member, task) => team.note('lead.decided', { act: 'check', member, task, text: 'silent' }),
  (team, member, task) => team.note('lead.decided', { act: 'fence', member, task, to: 'bob', text: 'silent' }),
  (team, member) => team.note('lead.decided', { act: 'quarantine', member, text: 'three failures' }),
  (team, member) => team.note('lead.decided', { act: 'restart', member, text: 'it died' }),
  (team, member) => team.note('member.exited', { member, text: 'signal SIGKILL' }),
  (team, member) => team.note('message.sent', { member, text: 'hello' }),
  (team, _, task) => team.say({ type: 'task.retried', task }),
  (team, _, task) => team.say({ type: 'task.cancelled', task, why: 'no' }),
  (team, _, task) => team.say({ type: 'task.skipped', task, cascade: false, why: 'no' }),
  (team, member, task) => team.say({ type: 'task.assigned', task, owner: name(member) }),
  (team, _, task) => team.say({ type: 'task.blocked', task, by: String((Number(task) % TASKS.length) + 1) }),
  (team, _, task) => team.say({ type: 'task.unblocked', task, blocker: String((Number(task) % TASKS.length) + 1) }),
  (team, _, task) => team.say({ type: 'task.updated', task, subject: 'Other' }),
  (team, member, task) => team.as(member, { type: 'task.updated', task, subject: 'Other' }),
  (team, member, task) =>
    team.as(member, { type: 'request.made', request: OTHER_Q, kind: 'question', about: task, text: '?' }),
  (team) => team.say({ type: 'request.answered', request: OTHER_Q, approve: true, text: 'Yes.' }),
  (team, _, task) =>
    team.say({
      type: 'batch',
      changes: [created(nextId(team), team.store.board.board.tasks.has(task) ? [task] : []), created(nextId(team) + 1)],
    }),
  (team, member, task) =>
    team.say({
      type: 'batch',
      changes: [
        { type: 'task.updated', task, subject: 'Twice' },
        { type: 'task.assigned', task, owner: name(member) },
      ],
    }),
  (team) => team.led(),
  (team, member, task) => {
    const epoch = team.store.board.fold().tasks.get(task)?.claims ?? 0;
    return team.as(member, { type: 'task.released', task, epoch, reason: 'released', why: 'tired' });
  },
  (team, member) =>
    team.add('Owned', { owner: member, blockedBy: [...team.store.board.fold().tasks.keys()].slice(0, 3) }),
  (team, member) => {
    for (const id of [...team.store.board.fold().tasks.keys()].slice(-3))
      team.claim(id, member).wait(7).complete(id, member).wait(7);
  },
  (team, member, task) => team.note('hook.refused', { member, task }),
  (team, _, task) => team.note('lead.noted', { task }),
  (team) => team.wait(45_000),
];

function act(team: ToldTeam, [deed, member, task]: readonly [number, number, number]): void {
  try {
    DEEDS[deed % DEEDS.length]?.(team, MEMBERS[member % 2] ?? '', TASKS[task % TASKS.length] ?? '');
  } catch (error) {
    // What the rules refuse is a part of the story, too.
    if (isTeamError(error) || !(error instanceof Error) || !error.message.includes('was refused')) throw error;
  }
  team.wait(7);
}

const keep = (team: ToldTeam): void => {
  keepCheckpoint(team.store.paths);
  team.store.board.fold();
  for (const _ of indexEvents(team.store, 1));
};

const forget = ({ store: { paths } }: ToldTeam): void => {
  for (const path of [paths.checkpoint, paths.eventIndex]) rmSync(path, { force: true });
};

const reading = <T>(team: ToldTeam, use: (store: TeamReader) => T, disk: Disk = realDisk): T => {
  const store = openForReading(team.store.paths, { clock: team.clock, disk });
  try {
    return use(store);
  } finally {
    store.close();
  }
};

async function answers(team: ToldTeam): Promise<object[]> {
  const said: object[] = [];
  const tasks = [...team.store.board.fold().tasks.keys()];
  for (const subject of [undefined, ...MEMBERS, ...tasks]) {
    const { events, ...rest } = await why(team.store, subject);
    said.push({
      ...rest,
      events: events.map(({ number: _, ...event }) => ({ type: event.type, at: event.at, member: event.member })),
    });
  }
  return [...said, reading(team, (store) => statusOf(store))];
}

const step = fc.tuple(fc.nat(DEEDS.length - 1), fc.nat(1), fc.nat(TASKS.length - 1));

type Part = [deed: number, member: number, task: number][];

/** Stories that were told differently once. */
const FOUND: [Part, Part, Part][] = [
  // A question about a task.
  [
    [],
    [
      [0, 0, 0],
      [2, 0, 0],
      [6, 0, 0],
    ],
    [],
  ],
  // A claim that changed nothing.
  [
    [],
    [
      [0, 1, 0],
      [2, 1, 0],
      [2, 1, 0],
    ],
    [],
  ],
  // Many records of a member that works on a task of the answer.
  [
    [
      [0, 0, 0],
      [33, 0, 0],
      [0, 0, 0],
    ],
    [
      [0, 0, 0],
      [28, 0, 0],
      [33, 0, 0],
      [8, 0, 0],
      [21, 0, 1],
    ],
    [],
  ],
  // A claim that ended with its process.
  [
    [
      [0, 0, 0],
      [2, 0, 0],
      [8, 0, 0],
    ],
    [[19, 0, 0]],
    [],
  ],
];

describe('a view that does not read the past', () => {
  it(
    'answers as one that reads it, wherever checkpoint and index end',
    { timeout: stories === undefined ? TIMEOUT_MS : 6 * 3_600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 90, size: 'max' }),
          fc.array(step, { maxLength: 90, size: 'max' }),
          fc.array(step, { maxLength: 20, size: 'max' }),
          async (...parts) => {
            const team = told();
            for (const part of parts) {
              for (const one of part) act(team, one);
              if (part !== parts[2]) keep(team);
            }
            const short = await answers(team);
            forget(team);
            expect(short).toEqual(await answers(team));
            void team.store.close();
          },
        ),
        {
          // The same stories each time; `npm run test:stress` tries others.
          numRuns: stories ?? SIZES.stories,
          seed,
          examples: FOUND,
        },
      );
    },
  );

  it('reads only its own events of both logs', async () => {
    const team = told();
    for (const subject of ['One', 'Two']) team.add(subject, { owner: 'ada' });
    team.claim('1', 'ada').note('lead.decided', { act: 'check', member: 'ada', task: '1', text: 'silent' });
    for (let at = 0; at < 3_000; at += 1)
      team.note('agent.printed', { member: 'bob', task: '2', text: 'y'.repeat(1_000) });
    keep(team);
    const counted = countingDisk();
    const store = openForReading(team.store.paths, { clock: team.clock, disk: counted.disk });
    const { events } = await why(store, '1');
    expect(events.map(({ type }) => type)).toEqual(['task.created', 'task.claimed', 'lead.decided']);
    statusOf(store);
    store.close();
    expect(statSync(team.store.paths.events).size).toBeGreaterThan(3 * MIB);
    expect(counted.bytes).toBeLessThan(2 * MIB);
  });
});

it('status of an idle member reads no task of others', () => {
  const team = told();
  const fields = newTaskSchema.parse({ subject: 'Old', description: 'x'.repeat(200) });
  for (let from = 1; from <= 5_000; from += 500)
    team.say({
      type: 'batch',
      changes: Array.from({ length: 500 }, (_, at) => ({ type: 'task.created', task: String(from + at), fields })),
    });
  team.add('Next', { owner: 'ada', blockedBy: ['1'] });
  keep(team);
  const counted = countingDisk();
  const { members } = reading(team, (store) => statusOf(store), counted.disk);
  expect(members.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
    'ada: task #5001 waits for #1',
    'bob: no task for it',
  ]);
  expect(counted.bytes).toBeLessThan(statSync(team.store.paths.checkpoint).size / 5);
});

describe('an index of the event log', () => {
  const noted = (): ToldTeam => {
    const team = told().add('One', { owner: 'ada' }).claim('1', 'ada');
    for (const act of ['check', 'restart', 'quarantine']) team.note('lead.decided', { act, member: 'ada', task: '1' });
    team.note('member.exited', { member: 'ada', text: 'signal SIGKILL' });
    keep(team);
    return team;
  };
  const isBelieved = (team: ToldTeam): boolean =>
    reading(team, (store) => {
      store.board.fold();
      const indexed = new IndexedEvents(store);
      indexed.close();
      return indexed.end > 0;
    });

  it('is believed only of this log', () => {
    const team = noted();
    const { events, eventIndex } = team.store.paths;
    expect(isBelieved(team)).toBe(true);
    writeFileSync(events, readFileSync(events, 'utf8').replace('SIGKILL', 'SIGTERM'));
    expect(isBelieved(team)).toBe(false);
    truncateSync(events, 100);
    expect(isBelieved(team)).toBe(false);
    copyFileSync(team.store.paths.checkpoint, eventIndex);
    expect(isBelieved(team)).toBe(false);
  });

  it('with any byte changed, or cut off, changes no answer', async () => {
    const team = noted();
    const { eventIndex } = team.store.paths;
    const [expected, whole] = [await answers(team), readFileSync(eventIndex)];
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 4;
      writeFileSync(eventIndex, at % 2 === 0 ? bytes : whole.subarray(0, at));
      expect(await answers(team)).toEqual(expected);
    }
    // The next one is made from the log.
    for (const _ of indexEvents(team.store, 1));
    expect(isBelieved(team)).toBe(true);
    expect(await answers(team)).toEqual(expected);
  });

  it('whose writer stops between two steps leaves no file', () => {
    const team = told();
    for (let at = 0; at < 500; at += 1) team.note('agent.said', { member: 'ada', task: '1', text: `${at}` });
    team.store.board.fold();
    const all = [...indexEvents(team.store, 1)].length;
    expect(all).toBeGreaterThan(3);
    rmSync(team.store.paths.eventIndex);
    for (let steps = 0; steps < all; steps += 1) {
      const writing = indexEvents(team.store, 1);
      for (let done = 0; done < steps; done += 1) writing.next();
      writing.return(undefined);
      expect(existsSync(team.store.paths.eventIndex)).toBe(false);
    }
  });
});
