/** A team's status, computed from the files by a process that leads nothing. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LEAD } from '../../../src/model/text/names.ts';
import { statusOf, type SeenMemberStatus } from '../../../src/runtime/views/status.ts';
import { archive } from '../../../src/store/team/team-list.ts';
import { openForReading } from '../../../src/store/team/team-reader.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const only = (team: ToldTeam, options = {}): SeenMemberStatus | undefined => statusOf(team.store, options).members[0];

describe('a team', () => {
  it('the status of a team has the specified shape, with its lead and unread mail (R11.2)', async () => {
    const team = new ToldTeam({ ada: 'explorer/claude', bob: 'executor' })
      .ledByUs()
      .started('ada')
      .process('ada', 'alive');
    team
      .add('One', { owner: 'ada' })
      .add('Two', { blockedBy: ['1'] })
      .claim('1', 'ada');
    await team.store.sender.send({
      sender: LEAD,
      recipient: name('bob'),
      draft: { type: 'message', content: 'hello' },
    });
    expect(statusOf(team.store)).toEqual({
      team: 'login',
      outcome: 'running',
      members: [
        {
          name: 'ada',
          role: 'explorer',
          state: 'working',
          reason: 'task #1: One',
          pid: process.pid,
          task: '1',
          unread: 0,
        },
        {
          name: 'bob',
          role: 'executor',
          state: 'joined',
          reason: 'it works without a process of the team',
          pid: null,
          task: null,
          unread: 1,
        },
      ],
      tasks: {
        total: 2,
        pending: 1,
        in_progress: 1,
        landing: 0,
        completed: 0,
        failed: 0,
        skipped: 0,
        cancelled: 0,
        blocked: 1,
      },
      lead: { pid: process.pid, since: '2026-01-01T00:00:00.000Z', epoch: 1, alive: true, unread: 0 },
    });
  });

  it('the status of an archived team has no lead', () => {
    const team = new ToldTeam({ ada: 'explorer/exec' })
      .ledByUs()
      .started('ada')
      .process('ada', 'dead')
      .say({ type: 'team.closed' });
    const reader = openForReading(archive(team.store), { clock: team.clock });
    expect(statusOf(reader)).toMatchObject({
      outcome: 'cancelled',
      lead: { pid: null, epoch: 1, alive: false },
      members: [{ state: 'stopped', pid: null }],
    });
    reader.close();
  });

  it('the status counts a hundred thousand messages in a short time', () => {
    const team = new ToldTeam({ ada: 'explorer/exec' });
    const line = `${JSON.stringify({ type: 'message', sender: 'lead', content: 'x'.repeat(100), timestamp: 1 })}\n`;
    writeFileSync(team.store.paths.inbox(name('ada')).inbox, line.repeat(100_000));
    const before = performance.now();
    expect(only(team)?.unread).toBe(100_000);
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});

describe('the outcome', () => {
  it.each<[string, (team: ToldTeam) => ToldTeam, string]>([
    ['without a lead and tasks', (team) => team, 'interrupted'],
    ['that is led', (team) => team.ledByUs().add('One'), 'running'],
    ['whose lead is gone, with an open task', (team) => team.led().add('One'), 'interrupted'],
    ['with every task final', (team) => team.add('One').say({ type: 'task.cancelled', task: '1', why: '' }), 'failed'],
    ['that was closed with an open task', (team) => team.add('One').say({ type: 'team.closed' }), 'cancelled'],
  ])('the outcome of a team %s', (_, tell, wanted) => {
    expect(statusOf(tell(new ToldTeam({})).store).outcome).toBe(wanted);
  });
});

describe('a member', () => {
  const team = (kind = 'claude'): ToldTeam => new ToldTeam({ ada: `executor/${kind}` }).ledByUs();
  const busy = (kind?: string): ToldTeam =>
    team(kind).started('ada').process('ada', 'alive').add('One').claim('1', 'ada');

  it.each<[string, () => ToldTeam, Partial<SeenMemberStatus>]>([
    ['was not started', () => team(), { state: 'joined', reason: 'it was not started yet', pid: null }],
    ['is being started', () => team().process('ada', 'dead', { phase: 'spawning' }), { state: 'starting' }],
    [
      'has nothing to do',
      () => team().started('ada').process('ada', 'alive'),
      { state: 'idle', reason: 'no task for it' },
    ],
    [
      'died and is restarted',
      () =>
        team().started('ada').process('ada', 'dead').note('member.exited', { member: 'ada', text: 'signal SIGKILL' }),
      { state: 'dead', reason: 'signal SIGKILL; it will be restarted', pid: null },
    ],
    [
      'died too often',
      () => team().started('ada').process('ada', 'dead').note('lead.decided', { act: 'give up', member: 'ada' }),
      { state: 'dead', reason: 'cause unknown; not restarted again after 0 restarts' },
    ],
    [
      'was stopped in order',
      () => team().started('ada').process('ada', 'dead').note('member.exited', { member: 'ada', text: 'exit 0' }),
      { state: 'stopped' },
    ],
    [
      'is quarantined',
      () => {
        const failing = team().started('ada').process('ada', 'alive');
        for (const task of ['1', '2']) failing.add('No').claim(task, 'ada').fail(task, 'ada', 'exit 1');
        return failing.note('lead.decided', { act: 'quarantine', member: 'ada' });
      },
      { state: 'quarantined', reason: '2 failed tasks in a row; it gets no new tasks' },
    ],
    [
      'is limited',
      () => {
        const limited = busy();
        const since = limited.clock.now() / 1_000;
        return limited.process('ada', 'alive', {
          note: { state: 'rate-limited', reason: '429', since, until: since + 30 },
        });
      },
      { state: 'rate-limited', reason: '429 (30s more)', task: '1' },
    ],
    [
      'is silent for a long time',
      () => busy().wait(360_000),
      { state: 'stalled', reason: 'no progress on task #1 for 6m00s' },
    ],
    [
      'printed something meanwhile',
      () => busy().wait(300_000).note('agent.said', { member: 'ada' }).wait(60_000),
      { state: 'working' },
    ],
    ['runs a silent command', () => busy('exec').wait(360_000), { state: 'working' }],
    ['has left', () => team().say({ type: 'member.left', name: name('ada'), why: 'idle' }), { state: 'left' }],
  ])('the status says that a member %s', (_, tell, wanted) => {
    expect(only(tell())).toMatchObject(wanted);
  });

  it('the status promises no restart of a dead member if there is no lead', () => {
    const alone = new ToldTeam({ ada: 'executor/claude' }).led().started('ada').process('ada', 'dead');
    expect(only(alone)?.reason).toBe('cause unknown; no lead runs that could restart it');
  });
});
