/** `teams run` in a real terminal: one view for what works, what failed and what is asked. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BIN, Workplace } from '../../support/cli.ts';
import { noTmux, Terminal } from '../../support/tmux.ts';

const running = (words: string): string => `echo BEFORE; "${process.execPath}" "${BIN}" run ${words}`;

function placeWith(tasks: readonly object[], members = ['ada', 'bob']): Workplace {
  const place = new Workplace();
  const plan = { name: 'ci', members: members.map((name) => ({ name, agent: 'exec' })), tasks };
  writeFileSync(join(place.root, 'ci.json'), JSON.stringify(plan));
  return place;
}

/** Works until the test has made a file. */
const awaits = (file: string): string => `until test -f ${file}; do sleep 0.05; done`;
const made = (place: Workplace, file: string): void => writeFileSync(join(place.root, file), '');
const columns = 120;
const rows = 36;

describe.skipIf(noTmux())('a run on a terminal', () => {
  it('shows members, tasks and the output of the chosen one, and leaves the report on the screen', async () => {
    const place = placeWith([
      { subject: 'Build', run: `echo compiling; ${awaits('go')}; echo built` },
      { subject: 'Test', run: 'echo tested', blockedBy: ['Build'] },
    ]);
    const terminal = new Terminal(running('ci.json --yes'), place.environment, { cwd: place.root, columns, rows });
    await terminal.shows(/ci {2}running .*0\/2 done[^]*MEMBERS {2}1 of 2 working[^]*compiling/);
    await terminal.shows(/work {2}#1 Build[^]*wait {2}#2 Test {2}<- #1/);
    expect(terminal.state()).toMatchObject({ second: '1' });
    made(place, 'go');
    const after = await terminal.shows(/EXIT 0/);
    expect(after).toMatch(/BEFORE\n[^]*TEAM COMPLETE[^]*\[DONE\] #2: Test/);
    expect(terminal.state()).toMatchObject({ cursor: '1', second: '0' });
  });

  it('a run that is over before its view is drawn leaves its report', async () => {
    const place = placeWith([{ subject: 'Build', run: 'true' }]);
    const line = `for i in 1 2 3 4; do ${running('ci.json --yes --fresh')}; echo "RUN $i: $?"; done`;
    const terminal = new Terminal(line, place.environment, { cwd: place.root, columns, rows });
    await terminal.shows(/RUN 4: 0[^]*EXIT 0/);
    expect(terminal.state()).toMatchObject({ cursor: '1', second: '0' });
    expect(terminal.screen({ past: true }).match(/TEAM COMPLETE/g)).toHaveLength(4);
  });

  it('a red run is mended and green without leaving the view', async () => {
    const place = placeWith([
      { subject: 'Test', run: 'echo cannot find it; test -f fixed', retries: 0 },
      { subject: 'Ship', run: 'echo shipped', blockedBy: ['Test'] },
    ]);
    const terminal = new Terminal(running('ci.json --yes'), place.environment, { cwd: place.root, columns, rows });
    const red = await terminal.shows(/The run has ended\. {2}r retry {2}R retry all/);
    expect(red).toMatch(/ci {2}failed .*1 failed/);
    expect(red).toMatch(/NEEDS YOU {2}1[^]*! #1 .*Test: failed: exit 1/);
    expect(red).toContain('cannot find it');
    terminal.press('Down');
    await terminal.shows(/q report$/m);
    made(place, 'fixed');
    terminal.type('R');
    const after = await terminal.shows(/EXIT 0/);
    expect(after).toMatch(/TEAM COMPLETE[^]*\[DONE\] #1: Test[^]*\[DONE\] #2: Ship/);
  });

  it('a red run that nobody mends ends with its report and exit 1', async () => {
    const place = placeWith([{ subject: 'Test', run: 'exit 3', retries: 0 }]);
    const terminal = new Terminal(running('ci.json --yes'), place.environment, { cwd: place.root, columns, rows });
    await terminal.shows(/The run has ended\..*report \(in [1-3]\d\d s; any key stays\)/);
    terminal.type('q');
    expect(await terminal.shows(/EXIT 1/)).toMatch(/TEAM FAILED[^]*exit 3/);
  });

  it('the first Ctrl-C says what is finished, the second stops at once', async () => {
    const place = placeWith([{ subject: 'Build', run: `echo here; ${awaits('never')}` }]);
    const terminal = new Terminal(running('ci.json --yes'), place.environment, { cwd: place.root, columns, rows });
    await terminal.shows(/here/);
    terminal.press('C-c');
    await terminal.shows(/Finishing 1 task, at most .*; Ctrl-C again stops at once/);
    terminal.press('C-c');
    const after = await terminal.shows(/EXIT 130/);
    expect(after).toContain('teams resume ci');
    expect(terminal.state()).toMatchObject({ cursor: '1', second: '0' });
  });

  it('a task is skipped from the view, and at 60 by 12 it still says what matters', async () => {
    const place = placeWith([
      { subject: 'Wait', run: awaits('never') },
      { subject: 'Test', run: 'echo tested' },
    ]);
    const size = { columns: 60, rows: 12 };
    const terminal = new Terminal(running('ci.json --yes'), place.environment, { cwd: place.root, ...size });
    const small = await terminal.shows(/^ci {2}running {2}1\/2 done[^]*#1 Wait[^]*q quit/m);
    expect(Math.max(...small.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(60);
    terminal.press('Tab');
    await terminal.shows(/> work {2}#1 Wait/);
    terminal.type('x');
    await terminal.shows(/skip #1 and what waits for it\? y or n/);
    terminal.type('y');
    terminal.press('Enter');
    await terminal.shows(/EXIT \d|The run has ended/);
    expect(existsSync(join(place.root, 'never'))).toBe(false);
  });
});
