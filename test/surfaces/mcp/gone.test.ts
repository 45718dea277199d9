/** The team of a host is ended, removed or moved by others: the host is told why, and the team is free for the next lead. */
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until, Workplace } from '../../support/cli.ts';
import { Host } from '../../support/mcp-host.ts';

async function onTeam(work: (host: Host, place: Workplace) => Promise<void>): Promise<void> {
  const place = new Workplace();
  const { host, server } = await Host.with(place);
  try {
    await host.say('TeamCreate', { name: 'duo' });
    await work(host, place);
  } finally {
    server.stdin.end();
    if (server.exitCode === null) await once(server, 'exit');
  }
}

/** What a tool says when the team is led no more. */
async function refused(host: Host): Promise<string> {
  let last = '';
  await until(async () => {
    const { isError, text } = await host.call('TaskList');
    last = text;
    return isError && text.includes('TeamCreate');
  }, 'the host hears that its team is gone');
  return last;
}

test('a team that another process deletes has ended for its host, which makes the next one', () =>
  onTeam(async (host, place) => {
    expect(await place.teams('delete', 'duo')).toMatchObject({ code: 0 });
    expect(await refused(host)).toBe('UNKNOWN_TEAM: Team duo has ended. TeamCreate makes one.');
    await host.say('TeamCreate', { name: 'duo' });
    expect(await host.say('TaskCreate', { subject: 'New', description: 'x' })).toContain('#1');
  }));

test('a team whose folder is removed is named with the reason', () =>
  onTeam(async (host, place) => {
    for (const folder of ['.teams', '.tasks']) rmSync(join(place.root, folder), { recursive: true });
    expect(await refused(host)).toMatch(
      /^UNKNOWN_TEAM: This process leads team duo no more: .*duo.* TeamCreate makes one\.$/,
    );
  }));

test('a team whose folder was moved away and comes back has no lead, though the process that led it lives', () =>
  onTeam(async (host, place) => {
    const folders = ['.teams', '.tasks'].map(
      (one) => [join(place.root, one), join(place.root, `${one}-moved`)] as const,
    );
    for (const [here, there] of folders) renameSync(here, there);
    expect(await refused(host)).toContain('leads team duo no more');
    for (const [here, there] of folders) renameSync(there, here);
    expect((await place.teams('status', 'duo')).out).toContain('no lead runs');
    expect(await place.teams('delete', 'duo')).toMatchObject({ code: 0 });
  }));

test('the host of a member is told that its team was archived, and is not shown it as one to work in', async () => {
  const place = new Workplace();
  const make = async (subject: string): Promise<void> => {
    await place.teams('create', 'duo', '--member', 'ada');
    await place.teams('task', 'create', 'duo', subject);
  };
  await make('Old');
  await using host = await Host.on(place, '--team', 'duo', '--as', 'ada');
  expect(await host.say('TaskList')).toContain('Old');
  await host.client.listResources();
  await place.teams('delete', 'duo');
  await host.hears('list_changed');
  for (const isThere of [false, true]) {
    if (isThere) await make('New');
    for (const tool of ['TaskList', 'CheckInbox'])
      expect(await host.call(tool), String(isThere)).toEqual({
        isError: true,
        text: 'TEAM_GONE: Team duo was archived, moved or removed. If there is a team duo now, start this server again to work in it.',
      });
    expect((await host.client.listResources()).resources).toEqual([]);
    const { messages } = await host.client.getPrompt({ name: 'stand-up' });
    expect(JSON.stringify(messages)).toContain('Team duo was archived');
  }
});
