/**
 * A day of a team in an hour and a half of simulated time: a stuck worker, a dead one, a crash loop, a quarantine, a
 * vendor's pause and a laptop that sleeps, in one run of the real lead. The test expects every decision with its time,
 * word by word.
 */
import { expect, it } from 'vitest';
import { replay } from '../../src/runtime/replay/replay.ts';
import { recordingOf } from '../../src/store/session/recorded-run.ts';
import { waitingMail } from '../../src/store/mail/inbox-view.ts';
import { Stage } from '../support/stage.ts';
import { name } from '../support/team.ts';
import type { ToldTeam } from '../support/told-team.ts';

const CAST = Object.fromEntries([1, 2, 3, 4, 5, 6].map((at) => [`worker-${at}`, 'executor/claude']));

const board = (told: ToldTeam): ToldTeam =>
  told
    .add('Part 1', { owner: 'worker-1' })
    .add('Part 2', { owner: 'worker-2' })
    .add('Part 3', { owner: 'worker-3' })
    .add('Part 4', { owner: 'worker-4' })
    .add('Part 5', { owner: 'worker-4' })
    .add('Part 6', { owner: 'worker-5' })
    .add('Part 7', { owner: 'worker-2', blockedBy: ['6'] })
    .add('Part 8', { owner: 'worker-6' })
    .add('Part 9', { owner: 'worker-4' })
    .add('Part 10', { owner: 'worker-4' })
    .add('Part 11', { owner: 'worker-4' });

const PAUSED = { note: { state: 'rate-limited', reason: 'its vendor asked for a pause', since: 0 } } as const;

/** The events of the day; the lead's decisions are expected below. */
async function play(stage: Stage): Promise<void> {
  const at = async (time: string, happens: (told: ToldTeam) => unknown): Promise<void> => {
    await stage.until(time);
    await stage.now(happens);
  };
  await at('00:05', (told) => told.claim('1', 'worker-1').claim('2', 'worker-2').claim('6', 'worker-5'));
  await at('00:05', (told) => told.claim('8', 'worker-6'));
  // The vendor of worker-5 asks for a pause of 15 minutes.
  await at('00:10', (told) => told.process('worker-5', 'alive', PAUSED));
  // Worker-3 exits, and so does each of its next processes.
  stage.crashing.set('worker-3', 'exit 1');
  await at('00:15', () => stage.dies('worker-3', 'exit 1'));
  // Worker-4 fails every task, and leaves in order when it is told to.
  await at('01:20', (told) => told.claim('9', 'worker-4').fail('9', 'worker-4', 'it broke'));
  await at('01:30', (told) => told.claim('10', 'worker-4').fail('10', 'worker-4', 'it broke'));
  await at('01:40', (told) => told.claim('11', 'worker-4').fail('11', 'worker-4', 'it broke'));
  await at('01:45', () => stage.dies('worker-4', 'exit 0'));
  // Worker-2 is killed, comes back, and is healthy again.
  await at('02:00', () => stage.dies('worker-2'));
  await at('02:10', (told) => told.claim('2', 'worker-2'));
  await at('04:00', (told) => told.complete('2', 'worker-2'));
  await at('04:05', (told) => told.claim('3', 'worker-2').complete('3', 'worker-2'));
  // Worker-6 prints now and then. Worker-1 answers that it lives, and makes no progress.
  await at('04:05', () => stage.prints('worker-6'));
  await stage.until('05:05');
  await stage.answers('worker-1', 'STATUS: works on task #1');
  for (const time of ['08:00', '12:00']) await at(time, () => stage.prints('worker-6'));
  await at('15:10', (told) => told.process('worker-5', 'alive'));
  await at('16:00', (told) => told.complete('6', 'worker-5'));
  // The laptop sleeps for an hour.
  await stage.until('17:30');
  await stage.sleep(60 * 60);
  await at('78:00', (told) => told.complete('8', 'worker-6'));
  await at('79:00', (told) => told.claim('7', 'worker-2').complete('7', 'worker-2'));
  for (const { id, owner = '' } of [...stage.told.store.board.fold().tasks.values()].filter(
    ({ status }) => status === 'pending',
  ))
    await at('80:00', (told) => told.claim(id, owner).complete(id, owner));
}

const REQUEST = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

const DAY = `
00:05 worker-1 began #1 Part 1
00:05 worker-2 began #2 Part 2
00:05 worker-5 began #6 Part 6
00:05 worker-6 began #8 Part 8
00:15 worker-3 its process ended: exit 1
00:20 worker-3 the lead restarted worker-3: its process died (exit 1)
00:20 worker-3 its process ended: exit 1
00:30 worker-3 the lead restarted worker-3: its process died (exit 1)
00:30 worker-3 its process ended: exit 1
00:50 lead gave #3 Part 3 to worker-1
00:50 worker-3 the lead restarted worker-3: its process died (exit 1)
00:50 worker-3 its process ended: exit 1
00:50 worker-3 the lead abandoned worker-3: its process died (exit 1) after 3 restarts
00:50 - the lead gave task #3 to worker-1: worker-3 is gone
01:20 worker-4 began #9 Part 9
01:20 worker-4 failed at #9 Part 9: it broke
01:30 worker-4 began #10 Part 10
01:30 worker-4 failed at #10 Part 10: it broke
01:40 worker-4 began #11 Part 11
01:40 worker-4 failed at #11 Part 11: it broke
01:40 lead gave #4 Part 4 to worker-5
01:40 lead gave #5 Part 5 to worker-6
01:40 worker-4 the lead quarantined worker-4: 3 failed tasks in a row
01:40 - the lead gave task #4 to worker-5: worker-4 is quarantined
01:40 - the lead gave task #5 to worker-6: worker-4 is quarantined
01:45 worker-4 its process ended: exit 0
02:00 lead gave back #2 Part 2: lost: worker-2 died while working on it (signal SIGKILL)
02:00 worker-2 its process ended: signal SIGKILL
02:00 worker-2 the lead released task #2: worker-2 died while working on it (signal SIGKILL)
02:05 worker-2 started
02:05 worker-2 the lead restarted worker-2: its process died (signal SIGKILL)
02:10 worker-2 began #2 Part 2
03:05 worker-2 the lead reset the restart count of worker-2: it has been healthy for 1m00s
04:00 worker-2 completed #2 Part 2: done
04:00 lead gave #3 Part 3 to worker-2
04:00 - the lead gave task #3 to worker-2: worker-1 is busy and worker-2 is idle
04:05 worker-2 began #3 Part 3
04:05 worker-2 completed #3 Part 3: done
04:05 lead gave #4 Part 4 to worker-2
04:05 - the lead gave task #4 to worker-2: worker-5 is busy and worker-2 is idle
05:05 worker-1 the lead sent worker-1 a status check for task #1: no progress on task #1 for 5m00s
05:05 worker-1 its mail was read by the lead: STATUS: works on task #1
10:05 lead gave back #1 Part 1: fenced: no progress on task #1 for 10m00s; it is alive
10:05 lead gave #1 Part 1 to worker-5
10:05 worker-1 the lead took task #1 from worker-1 and gave it to worker-5: no progress on task #1 for 10m00s; it is alive
10:05 worker-1 its process ended: signal SIGKILL
10:10 worker-1 started
10:10 lead gave #1 Part 1 to worker-1
10:10 worker-1 the lead restarted worker-1: its process died (signal SIGKILL)
10:10 - the lead gave task #1 to worker-1: worker-5 is busy and worker-1 is idle
11:10 worker-1 the lead reset the restart count of worker-1: it has been healthy for 1m00s
16:00 worker-5 completed #6 Part 6: done
16:00 lead gave #5 Part 5 to worker-5
16:00 - the lead gave task #5 to worker-5: worker-6 is busy and worker-5 is idle
17:00 worker-6 the lead sent worker-6 a status check for task #8: no progress on task #8 for 5m00s
77:30 - the lead reset all deadlines: the lead itself slept
78:00 worker-6 completed #8 Part 8: done
79:00 worker-2 began #7 Part 7
79:00 worker-2 completed #7 Part 7: done
80:00 worker-1 began #1 Part 1
80:00 worker-1 completed #1 Part 1: done
80:00 worker-2 began #4 Part 4
80:00 worker-2 completed #4 Part 4: done
80:00 worker-5 began #5 Part 5
80:00 worker-5 completed #5 Part 5: done
`;

const MAIL = `
worker-1: NEW ASSIGNMENT: Task #3 is now assigned to you (was worker-3, gone). Subject: Part 3.
worker-1: STATUS CHECK: Report progress on task #1.
worker-1: NEW ASSIGNMENT: Task #1 is now assigned to you (was worker-5, busy and worker-1 is idle). Subject: Part 1.
worker-2: NEW ASSIGNMENT: Task #3 is now assigned to you (was worker-1, busy and worker-2 is idle). Subject: Part 3.
worker-2: NEW ASSIGNMENT: Task #4 is now assigned to you (was worker-5, busy and worker-2 is idle). Subject: Part 4.
worker-2: UNBLOCKED: Task #7 is now ready. Blocker #6 completed.
worker-4: SHUTDOWN: Quarantined after failed attempts.
worker-5: NEW ASSIGNMENT: Task #4 is now assigned to you (was worker-4, quarantined). Subject: Part 4.
worker-5: NEW ASSIGNMENT: Task #1 is now assigned to you (was worker-1, no progress on task #1 for 10m00s; it is alive). Subject: Part 1.
worker-5: NEW ASSIGNMENT: Task #5 is now assigned to you (was worker-6, busy and worker-5 is idle). Subject: Part 5.
worker-6: NEW ASSIGNMENT: Task #5 is now assigned to you (was worker-4, quarantined). Subject: Part 5.
worker-6: STATUS CHECK: Report progress on task #8.
`;

const mailOf = ({ store }: ToldTeam, member: string): string[] =>
  [...waitingMail(store.disk, store.paths.inbox(name(member)))].map(({ content }) => `${member}: ${content}`);

it('the lead follows its rules through a day, logs every decision with its reason, and loses no task', async () => {
  const stage = new Stage(CAST, {}, board);
  await stage.begin();
  const before = (await stage.log()).length;
  await play(stage);
  expect((await stage.log()).slice(before).join('\n')).toBe(DAY.trim());
  expect(
    Object.keys(CAST)
      .flatMap((member) => mailOf(stage.told, member))
      .join('\n'),
  ).toBe(MAIL.trim());
  expect(stage.ending).toEqual({ why: 'finished' });
  const again = replay(recordingOf(stage.told.store));
  expect(again).toMatchObject({ differences: 0, first: null, notReplayed: 0 });
  expect(again.decisions).toBeGreaterThan(20);
});

it('any act of an agent counts as progress, and waiting for a person is not silence', async () => {
  const stage = new Stage({ ada: 'executor/claude', bob: 'executor/claude' }, {}, (told) =>
    told.add('One', { owner: 'ada' }).add('Two', { owner: 'bob' }),
  );
  await stage.begin();
  await stage.now((told) => told.claim('1', 'ada').claim('2', 'bob'));
  await stage.now((told) =>
    told.as('bob', { type: 'request.made', request: REQUEST, kind: 'question', about: '2', text: 'May I?' }),
  );
  for (let minutes = 4; minutes <= 20; minutes += 4) {
    await stage.until(`${minutes}:00`);
    const act = minutes % 8 === 0 ? 'agent.acted' : 'message.sent';
    await stage.now((told) => told.note(act, { member: 'ada', text: 'read a file' }));
  }
  await stage.now((told) => told.say({ type: 'request.answered', request: REQUEST, approve: true, text: 'Do.' }));
  await stage.until('26:00');
  const decided = (await stage.log()).filter((line) => line.includes(' the lead '));
  // Both made progress until then.
  expect(decided.map((line) => line.split(':').slice(0, 2).join(':'))).toEqual([
    '25:00 ada the lead sent ada a status check for task #1',
    '25:00 bob the lead sent bob a status check for task #2',
  ]);
});
