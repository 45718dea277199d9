/** `teams watch` in a real terminal. */
import { describe, expect, it } from 'vitest';
import { running } from '../../support/processes.ts';
import { BIN, Workplace } from '../../support/cli.ts';
import { asMember } from '../../support/member.ts';
import { noTmux, Terminal } from '../../support/tmux.ts';

const watching = `"${process.execPath}" "${BIN}" watch login`;

/** A team without a lead, whose member has asked the lead a question. */
async function asking(): Promise<Workplace> {
  const place = new Workplace();
  await place.teams('create', 'login', '--member', 'ada', '--member', 'bob');
  await place.teams('task', 'create', 'login', 'Profile the login route', '--owner', 'ada');
  await place.teams('task', 'create', 'login', 'Fix the slowest call', '--owner', 'bob', '--blocked-by', '1');
  const environment = await asMember(place, 'login', 'ada', '1');
  await place.say(['send', 'login', 'lead', 'Which database?', '--kind', 'question'], { environment });
  return place;
}

describe.skipIf(noTmux())('on a terminal', () => {
  it('watch answers a request, switches to the plain stream and back, and restores the screen', async () => {
    const place = await asking();
    const terminal = new Terminal(`echo BEFORE; ${watching}`, place.environment, { cwd: place.root });
    const screen = await terminal.shows(/q quit/);
    expect(screen).toMatch(/NEEDS YOU {2}\d .*\n> \? ada \d+s asks: Which database\?/);
    expect(screen).toMatch(/wait {2}#2 Fix the slowest call {2}bob {2}<- #1/);
    terminal.type('a');
    await terminal.shows(/answer ada:/);
    terminal.type('the second');
    terminal.press('Enter');
    await terminal.shows(/answered/);
    expect((await place.teams('log', 'login')).out).toContain('answered: ');
    terminal.type('p');
    await terminal.shows(/BEFORE[^]*asks: [^]*answered: /);
    terminal.type(' ');
    await terminal.shows(/MEMBERS/);
    terminal.type('q');
    const after = await terminal.shows(/BEFORE[^]*EXIT 0/);
    expect(after.match(/answered: /g)).toHaveLength(1);
    expect(terminal.state()).toMatchObject({ cursor: '1', second: '0' });
  });

  it('watch shows an archived team, follows the window size, and restores the terminal when it ends', async () => {
    const place = await asking();
    await place.teams('delete', 'login', '--force', '--now');
    const line = `NO_COLOR=1 ${watching}`;
    const terminal = new Terminal(line, place.environment, { cwd: place.root, columns: 130 });
    const wide = await terminal.shows(/q quit/);
    expect(wide).toMatch(/NEEDS YOU .* QUESTION of ada/);
    terminal.resize(50, 12);
    const small = await terminal.shows(/^(?![^]*QUESTION)[^]*TASKS/);
    expect(Math.max(...small.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(50);
    const shell = terminal.state().pid;
    const pid = running().find(({ parent }) => parent === shell)?.pid ?? 0;
    process.kill(pid, 'SIGTERM');
    await terminal.shows(/EXIT 143/);
    expect(terminal.state()).toMatchObject({ cursor: '1', second: '0' });
  });

  it('Ctrl-Z gives the terminal to the shell, and after `fg` watch draws and takes keys as before, each time', async () => {
    const place = await asking();
    const terminal = new Terminal('bash --norc --noprofile -i', place.environment, { cwd: place.root });
    terminal.typing(`PS1='READY '; ${watching}`);
    await terminal.shows(/q quit/);
    for (const time of ['first', 'second']) {
      terminal.press('C-z');
      await terminal.shows(/Stopped[^]*READY$/m);
      expect(terminal.state()).toMatchObject({ cursor: '1', second: '0' });
      terminal.typing(`echo the ${time}; fg`);
      await terminal.shows(/q quit/);
      terminal.type('?');
      await terminal.shows(/KEYS/);
      terminal.press('Escape');
      await terminal.shows(/MEMBERS/);
    }
    terminal.type('q');
    await terminal.shows(/the second[^]*READY$/m);
    expect(terminal.state()).toMatchObject({ cursor: '1', second: '0' });
  });

  it('in the background of a terminal, where reading would stop it, watch prints the stream and ends at a signal', async () => {
    const place = await asking();
    const terminal = new Terminal(`sh -c 'timeout 100 ${watching}'`, place.environment, { cwd: place.root });
    expect(await terminal.shows(/asks: Which database\?/)).not.toMatch(/q quit/);
    const below = (pid: number): number[] => {
      const children = running().flatMap((one) => (one.parent === pid ? [one.pid] : []));
      return children.length === 0 ? [pid] : children.flatMap(below);
    };
    for (const pid of below(terminal.state().pid)) process.kill(pid, 'SIGTERM');
    await terminal.shows(/EXIT 143/);
  });
});
