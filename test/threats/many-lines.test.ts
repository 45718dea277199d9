/** What members print and write in numbers: a call in JavaScript takes about a hundred thousand arguments, a list more. */
import { describe, expect, it } from 'vitest';
import { PastWatch } from '../../src/runtime/past/past-watch.ts';
import { longestRun } from '../../src/model/text/repeated-characters.ts';
import { parseMoment } from '../../src/model/text/moment.ts';
import { TaskLines } from '../../src/runtime/views/team-output.ts';
import { realClock } from '../../src/os/system-clock.ts';
import { openForReading } from '../../src/store/team/team-reader.ts';
import { teamPaths } from '../../src/store/files/paths.ts';
import { Workplace } from '../support/cli.ts';
import { name } from '../support/team.ts';

const LINES = 500_000;

describe('a member that prints half a million empty lines', () => {
  it('ends no view of its task, now and in the past', async () => {
    const place = new Workplace();
    const tasks = [{ subject: 'Print', run: `yes '' | head -n ${LINES}; echo end` }];
    const gates = { build: false, test: false, lint: false };
    place.put('plan.json', JSON.stringify({ name: 'login', members: [{ name: 'ada', agent: 'exec' }], tasks, gates }));
    expect((await place.teams('run', 'plan.json')).code).toBe(0);
    const { code, out, err } = await place.teams('logs', 'login', '--task', '1');
    expect([code, err, out.split('\n').length]).toEqual([0, '', LINES + 2]);

    const paths = teamPaths(place.root, name('login'));
    const reader = openForReading(paths, { clock: realClock });
    reader.board.fold();
    const seen = new TaskLines(reader, '1').look();
    reader.close();
    expect([seen.length, seen.at(-1)]).toEqual([LINES + 1, 'end']);

    const at = (moment: string): Promise<PastWatch> =>
      PastWatch.open(paths, parseMoment(moment) ?? expect.fail(`${moment} is no moment`));
    const first = await at('e1');
    const { events } = first.shown;
    first.close();
    const last = await at(`e${events}`);
    const shown = last.linesOf({ task: '1' });
    last.close();
    expect([shown.length, shown.at(-1)]).toEqual([LINES + 1, 'end']);
  });
});

it('a text of a million backticks is put in a fence', () => {
  expect(longestRun('` '.repeat(1_000_000))).toBe(1);
  expect(longestRun(`a ${'`'.repeat(1_000_000)} b`)).toBe(1_000_000);
  expect(longestRun('none')).toBe(0);
});
