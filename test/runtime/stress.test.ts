/**
 * Whole teams that lose their lead, and large teams; sizes and figures are in docs/reliability.md "The four layers".
 */
import { describe, expect, it } from 'vitest';
import { running } from '../support/processes.ts';
import { figure } from '../support/figures.ts';
import { allowLeft } from '../support/leftovers.ts';
import { lead, leadProcess, living, team, untilGone, type Apart, type Team } from '../support/session.ts';
import { SIZES, TIMEOUT_MS } from '../support/sizes.ts';
import { name, senderOf } from '../support/team.ts';
import { tempDir } from '../support/temp.ts';

const timeout = TIMEOUT_MS;
const MAIL = 10_000;
const TASKS = 1_000;

/** Two teammates at work, each on a command that has a child in its own session. */
async function atWork(root: string): Promise<{ on: Team; first: Apart }> {
  allowLeft();
  const run = 'setsid sleep 300 & sleep 300';
  const on = await team({
    root,
    members: ['ada', 'bob'],
    tasks: [1, 2].map((n) => ({ subject: `${n}`, work: { run } })),
  });
  const first = await leadProcess(on);
  await on.until('both work', (board) => board.busy.size === 2);
  return { on, first };
}

describe('a lead that is killed', () => {
  it('a killed lead leaves no process, every time', { timeout: 4 * timeout }, async () => {
    const times: number[] = [];
    for (let death = 0; death < SIZES.leadDeaths; death += 1) {
      const { on, first } = await atWork(tempDir());
      const marks = on.marks();
      first.child.kill('SIGKILL');
      times.push(await untilGone(marks));
      await first.ended;
    }
    figure({ area: 'kill -9 of the lead, until nothing is left', count: times.length, violations: 0, times });
    expect(times).toHaveLength(SIZES.leadDeaths);
  });

  it(
    'what a lead leaves that is killed with its reaper and every teammate, the next lead ends',
    { timeout },
    async () => {
      let left = 0;
      for (let fault = 0; fault < SIZES.doubleFaults; fault += 1) {
        const { on, first } = await atWork(tempDir());
        const marks = on.marks();
        const reaper = running().find(({ parent, command }) => parent === first.pid && command.includes('reaper.cjs'));
        for (const pid of [reaper?.pid ?? 0, first.pid, on.pid('ada'), on.pid('bob')]) process.kill(pid, 'SIGKILL');
        await first.ended;
        const next = await lead(on);
        left += living(marks).length;
        await next.close();
      }
      figure({ area: 'lead, reaper and teammates killed at once', count: SIZES.doubleFaults, violations: left });
      expect(left).toBe(0);
    },
  );
});

it('a lead resumes a team with much mail and many tasks', { timeout }, async () => {
  const times: number[] = [];
  for (let resume = 0; resume < SIZES.resumes; resume += 1) {
    const tasks = Array.from({ length: TASKS }, (_, n) => ({ subject: `Task ${n}`, owner: 'bob' }));
    const on = await team({ members: ['ada', 'bob'], tasks });
    await write(on, MAIL);
    const start = performance.now();
    const session = await lead(on);
    await session.start(session.startable());
    times.push(performance.now() - start);
    expect(on.board().tasks.size).toBe(TASKS);
    await session.shutDown({ force: true });
    await session.close();
  }
  figure({ area: `resume with ${MAIL} messages and ${TASKS} tasks`, count: times.length, violations: 0, times });
});

/** Many messages of the lead to ada, before she is started. */
async function write({ paths }: Team, count: number): Promise<void> {
  const { sender, close } = senderOf(paths, { durable: false });
  const send = (n: number): Promise<unknown> =>
    sender.send({ sender: 'lead', recipient: name('ada'), draft: { type: 'message', content: `Message ${n}` } });
  await Promise.all(Array.from({ length: count }, (_, n) => send(n)));
  close();
}
