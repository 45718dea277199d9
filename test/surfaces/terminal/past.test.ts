/** `teams watch --from`: the past of a team in a real terminal. */
import { describe, expect, it } from 'vitest';
import { OutputLog } from '../../../src/store/board/output-log.ts';
import { BIN, Workplace } from '../../support/cli.ts';
import { name } from '../../support/team.ts';
import { noTmux, Terminal } from '../../support/tmux.ts';
import { ToldTeam } from '../../support/told-team.ts';

/** Ten tasks, six of them begun and ended, each in ten seconds; the sixth fails. 30 events in 70 seconds. */
function told(place: Workplace): ToldTeam {
  const team = new ToldTeam({ ada: 'executor/exec', bob: 'executor/exec' }, { root: place.root });
  const output = new OutputLog(
    team.store.disk,
    team.store.paths.output(name('ada')),
    team.store.paths.outputParts(name('ada')),
  );
  const now = (): string => new Date(team.clock.now()).toISOString();
  team.ledByUs().started('ada', 'bob');
  for (let at = 1; at <= 10; at += 1) team.wait(1_000).add(`Task ${at}`);
  for (let at = 1; at <= 6; at += 1) {
    const task = String(at);
    team.wait(5_000).claim(task, 'ada');
    output.begin({ task, claim: 1 }, now());
    output.append(Buffer.from(`printed for ${at}\n`));
    if (at === 6) team.note('agent.said', { member: 'ada', task, text: 'the disk looks full' });
    team.wait(5_000);
    output.begin(undefined, now());
    if (at === 6) team.fail('6', 'ada', 'no disk');
    else team.complete(task, 'ada');
  }
  output.close();
  return team;
}

const watching = (from: string): string => `TZ=UTC "${process.execPath}" "${BIN}" watch login --from ${from}`;
const SIZES = [
  { columns: 60, rows: 12 },
  { columns: 80, rows: 24 },
  { columns: 140, rows: 40 },
];

describe.skipIf(noTmux())('the past on a terminal', () => {
  it.each(SIZES)(
    'at $columns x $rows it is moved by events, by steps, by playing and by the mouse, and changes nothing',
    async (size) => {
      const place = new Workplace();
      const team = told(place);
      const before = team.store.events.size();
      const terminal = new Terminal(watching('30'), place.environment, { cwd: place.root, ...size });
      const first = await terminal.shows(/00:01:05 {2}30\/31/);
      expect(Math.max(...first.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(size.columns);
      expect(first).toMatch(/ada {2}working|ada .* #6/);
      expect(first).not.toMatch(/no disk|pid/);
      terminal.press('Right');
      await terminal.shows(/1 failed[^]*00:01:10 {2}31\/31/);
      terminal.press('Left', 'Left');
      await terminal.shows(/00:01:05 {2}29\/31/);
      terminal.type('a');
      await terminal.shows(/This is the past/);
      terminal.press('Home');
      await terminal.shows(/0\/0 done[^]*00:00:00 {2}1\/31/);
      terminal.type('++');
      await terminal.shows(/600x/);
      terminal.type(' ');
      await terminal.shows(/5\/10 done[^]*00:01:10 {2}31\/31/);
      terminal.press('S-Left');
      await terminal.shows(/ 21\/31/);
      terminal.press('End');
      await terminal.shows(/ 31\/31/);
      // A click at the left end of the bar.
      const lines = terminal.screen().split('\n');
      const y = lines.findIndex((line) => line.includes('31/31'));
      const x = (lines[y] ?? '').indexOf('[') + 1;
      terminal.type(`\u001b[<0;${x + 1};${y + 1}M`);
      await terminal.shows(/00:00:00 {2}\d\/31/);
      terminal.type('q');
      await terminal.shows(/EXIT 0/);
      expect(team.store.events.size()).toBe(before);
    },
  );

  it('shows what a member had printed by then, and says what has no time', async () => {
    const place = new Workplace();
    told(place);
    const size = { columns: 140, rows: 40 };
    const terminal = new Terminal(watching('00:00:20'), place.environment, { cwd: place.root, ...size });
    const screen = await terminal.shows(/printed for 1/);
    expect(screen).not.toContain('printed for 2');
    terminal.press('End', 'Left');
    const late = await terminal.shows(/printed for 5[^]*not recorded[^]*the disk looks full/);
    expect(late).not.toContain('printed for 6');
    terminal.press('Right');
    await terminal.shows(/printed for 6/);
    terminal.press('q');
    await terminal.shows(/EXIT 0/);
  });

  it('is refused without a terminal, and for a moment that there is not', async () => {
    const place = new Workplace();
    told(place);
    expect(await place.teams('watch', 'login', '--from', '3')).toMatchObject({ code: 2, out: '' });
    expect((await place.teams('watch', 'login', '--from', '3')).err).toContain('teams at login 3');
    expect((await place.teams('watch', 'login', '--from', 'soon')).err).toContain('is no moment');
    const terminal = new Terminal(watching('99'), place.environment, { cwd: place.root });
    await terminal.shows(/31 events[^]*EXIT 2/);
  });
});
