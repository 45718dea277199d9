/** The stream of a team's events: both logs in one order, from the first or from a number, and live. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../src/model/text/clock.ts';
import type { ShownEvent } from '../../../src/model/team/shown-event.ts';
import { lookAtTeam } from '../../../src/runtime/views/status.ts';
import { teamEvents, teamNews, type EventOptions } from '../../../src/runtime/views/team-events.ts';
import { TeamWatch } from '../../../src/runtime/views/team-watch.ts';
import { merged } from '../../../src/runtime/views/merged-log.ts';
import { archive } from '../../../src/store/team/team-list.ts';
import { realClock } from '../../support/clock.ts';
import { greatTeam } from '../../support/great-team.ts';
import { PERSON } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

async function all(team: ToldTeam, options?: EventOptions): Promise<ShownEvent[]> {
  const events: ShownEvent[] = [];
  for await (const event of teamEvents(team.store, options)) events.push(event);
  return events;
}

const idOf = (event: ShownEvent): string | undefined => {
  const task = 'task' in event ? event.task : undefined;
  return typeof task === 'object' ? task.id : task;
};

/** `number type member task`, without the first events of every team. */
const told = (events: readonly ShownEvent[]): string[] =>
  events
    .filter(({ type }) => !['log.opened', 'team.opened', 'team.created'].includes(type))
    .map((event) => [event.type, event.member ?? '-', idOf(event) ?? '-'].join(' '));

const story = (): ToldTeam =>
  new ToldTeam({ ada: 'executor/exec' }).wait(1).led().wait(1).started('ada').wait(1).add('Fix it').wait(1);

describe('the stream', () => {
  it('the stream merges both logs by time, and each event has its number', async () => {
    const team = story().note('agent.said', { member: 'ada' }).wait(1).claim('1', 'ada').wait(1);
    team.note('lead.decided', { act: 'check', task: '1', text: 'silent' }).wait(1).complete('1', 'ada', 'fixed');
    const events = await all(team);
    expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1));
    expect(told(events)).toEqual([
      'member.joined ada -',
      'lead.took lead -',
      'member.started ada -',
      'task.created lead 1',
      'agent.said ada -',
      'task.claimed ada 1',
      'lead.decided - 1',
      'task.completed ada 1',
    ]);
    expect(events.at(-1)).toMatchObject({ at: timestamp(team.clock.now()), text: 'fixed' });
    expect(events.at(-2)).toMatchObject({ act: 'check', text: 'silent' });
  });

  it('the stream gives a task event its task, as it was then', async () => {
    const team = story().claim('1', 'ada').complete('1', 'ada');
    const seen: string[] = [];
    for await (const event of teamEvents(team.store)) {
      if (event.type === 'task.completed') seen.push(`${event.task.subject} ${event.task.status}`);
      if (event.type === 'task.claimed') seen.push(event.task.status);
    }
    expect(seen).toEqual(['in_progress', 'Fix it completed']);
  });

  it('the stream shows the changes of a batch one by one, and no refused event', async () => {
    const team = story().add('Two');
    const skip = (task: string) => ({ type: 'task.skipped' as const, task, cascade: false, why: 'no need' });
    team.say({ type: 'batch', changes: [skip('1'), skip('2')] });
    expect(team.store.board.appendNow(PERSON, () => skip('1')).outcome.ok).toBe(false);
    const skipped = (await all(team)).filter(({ type }) => type === 'task.skipped');
    expect(skipped.map((event) => [idOf(event), event.text])).toEqual([
      ['1', 'no need'],
      ['2', 'no need'],
    ]);
  });

  it('the stream begins at a given number', async () => {
    const team = story();
    const events = await all(team);
    expect(await all(team, { from: 3 })).toEqual(events.slice(2));
    expect(await all(team, { from: events.length + 1 })).toEqual([]);
  });

  it("the stream keeps a foreign writer's event under its own noun, and skips invalid lines", async () => {
    const team = story();
    writeFileSync(
      team.store.paths.events,
      '\n{"type":"task.completed","at":"2026-01-02"}\nnoise\n{"type":"x","at":"2026-01-03"}\n',
      { flag: 'a' },
    );
    expect(told(await all(team)).slice(-2)).toEqual(['other.task.completed - -', 'other.x - -']);
  });

  it('the stream is the same from the archive', async () => {
    const team = story().say({ type: 'team.closed' });
    const events = await all(team);
    const archived: ShownEvent[] = [];
    const paths = archive(team.store);
    for await (const event of teamEvents({ paths, disk: team.store.disk, clock: team.clock })) archived.push(event);
    expect(archived).toEqual(events);
  });
});

describe('following', () => {
  const following = (team: ToldTeam, signal?: AbortSignal) =>
    teamEvents({ paths: team.store.paths, disk: team.store.disk, clock: realClock }, { follow: true, signal });

  it('following is woken by an event in either log, long before its next look', async () => {
    const team = story();
    const seen: string[] = [];
    const waits: number[] = [];
    let since = performance.now();
    for await (const event of following(team)) {
      if (event.type === 'task.created') team.claim('1', 'ada');
      else if (event.type === 'task.claimed') team.note('agent.said', { member: 'ada' });
      else if (event.type === 'agent.said') team.complete('1', 'ada');
      else if (event.type === 'task.completed') break;
      else continue;
      seen.push(event.type);
      waits.push(performance.now() - since);
      since = performance.now();
    }
    expect(seen).toEqual(['task.created', 'task.claimed', 'agent.said']);
    expect(Math.max(...waits.slice(1))).toBeLessThan(900);
  });

  it('following ends when the team is closed, with the last events', async () => {
    const team = story();
    const seen: string[] = [];
    for await (const event of following(team)) {
      seen.push(event.type);
      if (event.type === 'task.created') team.say({ type: 'team.closed' });
      if (event.type === 'team.closed') team.note('team.deleted');
    }
    expect(seen.slice(-2)).toEqual(['team.closed', 'team.deleted']);
  });

  it('following ends at once when it is aborted', async () => {
    const team = story();
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const event of following(team, stop.signal)) {
      seen.push(event.type);
      if (event.type === 'task.created') setTimeout(() => stop.abort(), 10);
    }
    expect(seen.at(-1)).toBe('task.created');
  });

  it('following goes on for a team that another process leads and archives', async () => {
    const team = story();
    let isClosed = false;
    for await (const event of following(team)) {
      if (event.type === 'task.created') {
        team.say({ type: 'team.closed' });
        archive(team.store);
      }
      isClosed ||= event.type === 'team.closed';
    }
    expect(isClosed).toBe(true);
  });
});

describe('a long past', () => {
  const great = (): ToldTeam => greatTeam({ members: 3, tasks: 30, messages: 1_500 });

  it('reading a long history yields to other work', async () => {
    // Long enough for several slices of 8 ms on any machine.
    const { store } = greatTeam({ members: 3, tasks: 30, messages: 20_000 });
    let [turns, isRead] = [0, false];
    const count = (): void => {
      turns += 1;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    for await (const news of teamNews(store)) expect(news.length).toBeGreaterThan(20_000);
    isRead = true;
    expect(turns).toBeGreaterThan(3);
  });

  it('a long history is shown once, also to a reader that starts in the middle of the reading', async () => {
    const team = great();
    team
      .note('lead.decided', { member: 'ada', act: 'restart' })
      .note('member.exited', { member: 'ada', text: 'exit 9' });
    const { paths } = team.store;
    const [watch, stop] = [new TeamWatch(paths), new AbortController()];
    setImmediate(() => watch.look());
    const seen: ShownEvent[] = [];
    for await (const news of watch.follow(stop.signal)) {
      seen.push(...news);
      stop.abort();
    }
    expect(seen).toEqual(await all(team));
    expect(watch.projection.last).toEqual(seen.at(-1));
    expect(watch.look().members.find(({ name }) => name === 'ada')).toMatchObject(
      lookAtTeam(watch.store).members.find(({ status }) => status.name === 'ada')?.status ?? {},
    );
    watch.close();
  });
});

describe('the merge', () => {
  const facts = (log: string, ...times: string[]) => times.map((at, index) => ({ at, is: `${log}${index}` }));
  const order = (one: ReturnType<typeof facts>, other: ReturnType<typeof facts>) =>
    [...merged(one, other)].map(({ is }) => is);

  it('the merge keeps the order within a log, also if a clock went back', () => {
    expect(order(facts('a', '2', '1', '3'), facts('b', '1', '2'))).toEqual(['b0', 'a0', 'a1', 'b1', 'a2']);
  });

  it('the merge puts the board first when times are equal', () => {
    expect(order(facts('a', '1', '1'), facts('b', '1'))).toEqual(['a0', 'a1', 'b0']);
    expect(order([], facts('b', '1'))).toEqual(['b0']);
  });
});
