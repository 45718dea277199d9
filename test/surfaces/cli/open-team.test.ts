/** Commands of an isolated program: its member's process has the team open, and they use that. */
import { renameSync } from 'node:fs';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { join } from 'node:path';
import { openStore, type TeamStore } from '../../../src/store/team/team-store.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { Workplace, type Answer } from '../../support/cli.ts';
import { realClock } from '../../support/clock.ts';
import { asMember } from '../../support/member.ts';
import { name } from '../../support/team.ts';

let place: Workplace;
let ada: Record<string, string>;
let openTeam: TeamStore;

const inside = (...argv: string[]): Promise<Answer> => place.say(argv, { environment: ada, openTeam });

beforeEach(async () => {
  place = new Workplace();
  await place.teams('create', 'login', '--member', 'ada', '--member', 'bob');
  await place.teams('create', 'other', '--member', 'cy');
  ada = await asMember(place, 'login', 'ada');
  openTeam = openStore(teamPaths(place.root, name('login')), { clock: realClock });
  onTestFinished(() => openTeam.close());
});

it('a command of an isolated program reads the team from no file again, and leaves it open', async () => {
  const configuration = join(place.root, '.teams/login/config.json');
  renameSync(configuration, `${configuration}.away`);
  expect(await inside('send', 'bob', 'one')).toMatchObject({ code: 0, err: '' });
  renameSync(`${configuration}.away`, configuration);
  expect(await inside('send', 'login', 'bob', 'two')).toMatchObject({ code: 0, err: '' });
  expect((await place.teams('inbox', 'login', 'bob')).out).toMatch(/one[^]*two/);
});

it.each([
  ['a token that is not the member’s', ['send', 'bob', 'x'], { TEAMS_TOKEN: 'guessed' }, "is not ada's"],
  ['another speaker', ['send', 'bob', 'x', '--as', 'bob'], {}, 'cannot speak as bob'],
  ['another team', ['send', 'other', 'cy', 'x'], {}, 'cannot act in team other'],
])('the team that is open is no way around %s', async (_, argv, environment, why) => {
  const { code, err } = await place.say(argv, { environment: { ...ada, ...environment }, openTeam });
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(why) as string });
});
