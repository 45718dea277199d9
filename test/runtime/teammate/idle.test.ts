/** The end of idleness: by the profile's time-out or the member's own, reported to the lead, and no mail after it. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { codeOf } from '../../../src/model/text/errors.ts';
import { PROFILES } from '../../../src/model/board/event.ts';
import { newTaskSchema } from '../../../src/model/board/task.ts';
import type * as Profiles from '../../../src/policy/profiles.ts';
import { join, type JoinOptions } from '../../../src/runtime/teammate/join.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { IdleWatch } from '../../../src/runtime/teammate/idle-watch.ts';
import { MemberSession } from '../../../src/runtime/team/member-session.ts';
import { SendRate } from '../../../src/runtime/team/send-rate.ts';
import { waitingMail } from '../../../src/store/mail/inbox-view.ts';
import { reopened, team, type Team } from '../../support/session.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

/** Gives the pipeline profile a time-out, since no profile has one. */
vi.mock('../../../src/policy/profiles.ts', async (load) => {
  const real = await load<typeof Profiles>();
  const { profiles } = real;
  return { ...real, profiles: { ...profiles, pipeline: { ...profiles.pipeline, idleTimeoutMs: 1 } } };
});

async function atWork(on: Team, options: Partial<JoinOptions> = {}) {
  const teammate = await join(reopened(on.paths), name('ada'), { byHand: true, environment: {}, ...options });
  const left = teammate.run();
  const end = async (): Promise<void> => {
    teammate.stop('signal');
    await left;
  };
  onTestFinished(end);
  return { left, end };
}

const toldLead = (on: Team): string[] =>
  [...on.handle.inbox('lead')].filter(({ kind }) => kind === 'idle').map(({ content }) => content);
/** Only a member that has done something reports that it is idle. */
const tasks = [{ subject: 'Work', work: { run: 'true' } }];
const stateOf = (on: Team): string | undefined => on.board().members.get(name('ada'))?.state;

describe('a member without work', () => {
  it('an idle member leaves at its own time-out, tells its lead, and gets no more mail', async () => {
    const on = await team({ members: ['ada', 'bob'] });
    expect(await (await atWork(on, { idleTimeoutMs: 0 })).left).toBe('idle');
    expect(toldLead(on).at(-1)).toBe('ada had nothing to do and leaves.');
    expect(stateOf(on)).toBe('left');
    const refused = on.handle.send('ada', 'Are you there?');
    expect(await refused.then(() => undefined, codeOf)).toBe('REFUSED');
    await expect(refused).rejects.toThrow('ada has left team crew and reads no mail any more.');
    expect((await on.handle.broadcast('All?')).map(({ recipient }) => recipient)).toEqual(['bob']);
  });

  it('an idle member leaves at the time-out of its profile', async () => {
    const on = await team({ members: ['ada'], profile: 'pipeline' });
    expect(await (await atWork(on)).left).toBe('idle');
    expect(stateOf(on)).toBe('left');
  });

  it('an idle member stays until its own time-out', async () => {
    const on = await team({ members: ['ada'], profile: 'v8', tasks });
    const { left, end } = await atWork(on, { idleTimeoutMs: 3_600_000 });
    await on.until('it told its lead that it is idle', () => toldLead(on).length === 1);
    await end();
    expect([await left, stateOf(on)]).toEqual(['signal', 'joined']);
  });

  it.each(PROFILES.filter((profile) => profile !== 'pipeline'))('an idle member stays under %s', async (profile) => {
    const on = await team({
      members: ['ada'],
      profile,
      tasks: [{ subject: 'Work', owner: name('ada'), work: { run: 'true' } }],
    });
    const { left, end } = await atWork(on);
    await on.until('it told its lead that it is idle', () => toldLead(on).length === 1);
    await on.handle.send('ada', 'STATUS CHECK: Report progress.', { kind: 'status_check' });
    await on.until('it answers', () => [...on.handle.inbox('lead')].some(({ kind }) => kind === 'status'));
    await end();
    expect([await left, stateOf(on)]).toEqual(['signal', 'joined']);
  });

  it('a member does not leave while it has a claim', async () => {
    const on = await team({ members: ['ada'], tasks });
    expect(await (await atWork(on, { idleTimeoutMs: 0 })).left).toBe('idle');
    expect(on.task('1').status).toBe('completed');
  });

  it('a member leaves a task to the person who claimed it in its name: the board would refuse its end', async () => {
    const on = await team({ members: ['ada'], tasks });
    const { end } = await atWork(on);
    await on.until('it has done its task', () => on.task('1').status === 'completed');
    const { board } = on.handle.store;
    const fields = newTaskSchema.parse({ subject: 'By hand', work: { run: 'true' } });
    board.appendNow({ person: LEAD, epoch: 0 }, () => ({ type: 'task.created', task: '2', fields }));
    const ada = { person: name('ada'), epoch: 0 };
    board.appendNow(ada, () => ({ type: 'task.claimed', task: '2', member: name('ada') }));
    await on.handle.send('ada', 'STATUS CHECK: Report progress.', { kind: 'status_check' });
    await on.until('it answers', () => [...on.handle.inbox('lead')].some(({ kind }) => kind === 'status'));
    const result = { summary: 'By hand', files: [] };
    board.appendNow(ada, () => ({ type: 'task.completed', task: '2', epoch: 1, result }));
    await end();
    const about = [...board.log.history()].filter(({ event }) => 'task' in event && event.task === '2');
    expect(about.map(({ event, outcome }) => [event.type, outcome.ok])).toEqual([
      ['task.created', true],
      ['task.claimed', true],
      ['task.completed', true],
    ]);
  });
});

describe('a member whose own task stays blocked', () => {
  const MINUTES_2 = 120_000;

  /** bob owns #2, which waits for #1, and #3, which waits for nothing. */
  function blocked(): ToldTeam {
    const on = new ToldTeam({ ada: 'executor', bob: 'executor' }).led().started('ada', 'bob');
    return on
      .add('One', { owner: 'ada' })
      .add('Two', { owner: 'bob', blockedBy: ['1'] })
      .add('Three', { owner: 'bob' });
  }

  /** One incarnation of bob, without work. */
  function life({ store }: ToldTeam): IdleWatch {
    const incarnation = store.board.fold().members.get(name('bob'))?.incarnation ?? '';
    const speaker = { kind: 'member', name: name('bob'), incarnation } as const;
    const session = new MemberSession(store, speaker, new SendRate(store.clock, 50), () => {});
    return new IdleWatch(session, { timeoutMs: undefined, exit: () => {}, hasCompleted: () => false });
  }

  /** It looks every second, as its mailroom does. */
  async function idles(on: ToldTeam, bob: IdleWatch, ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1_000) {
      on.wait(Math.min(left, 1_000));
      await bob.look();
    }
  }

  const told = ({ store }: ToldTeam): string[] =>
    [...waitingMail(store.disk, store.paths.inbox(LEAD))].map(({ content }) => content);

  it('a member reports its blocked task to its lead once, after 2 minutes, and only that task', async () => {
    const on = blocked();
    const bob = life(on);
    await idles(on, bob, MINUTES_2 - 1);
    expect(told(on.wait(1))).toEqual([]);
    for (let looks = 0; looks < 3; looks += 1) await bob.look();
    expect(told(on)).toEqual(['BLOCKED: Task #2 still waits for #1.']);
  });

  it('a pause of the whole machine counts for no idle time', async () => {
    const on = blocked();
    const bob = life(on);
    on.wait(10 * MINUTES_2);
    await bob.look();
    expect(told(on)).toEqual([]);
  });

  it('the report of a blocked task is read once, also if the next incarnation sends it again', async () => {
    const on = blocked();
    for (let lives = 0; lives < 2; lives += 1) {
      const bob = life(on);
      await idles(on, bob, MINUTES_2);
    }
    expect(told(on)).toEqual(['BLOCKED: Task #2 still waits for #1.']);
  });
});
