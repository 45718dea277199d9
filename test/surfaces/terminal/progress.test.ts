/** Progress of a team, event by event, on a terminal and in a file. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { ulid } from 'ulid';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startProgress, type ProgressOptions } from '../../../src/surfaces/terminal/progress-view.ts';
import { Screen } from '../../../src/surfaces/terminal/screen.ts';
import { OutputLog } from '../../../src/store/board/output-log.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const ESC = '\u001b';
let team: ToldTeam;
let written: string[];

const watch = (more: Partial<ProgressOptions> & { isTTY?: boolean } = {}) => {
  const { isTTY = false, ...options } = more;
  const stream = { write: (text: string) => written.push(text), isTTY, columns: 80, rows: 24 };
  return startProgress(team.store.paths, { stream, environment: {}, color: true, ...options });
};
const printed = (text: string): void => {
  mkdirSync(team.store.paths.logs, { recursive: true });
  appendFileSync(team.store.paths.output(name('ada')), text);
};
const told = (type: string, text: string): void => void team.store.events.append({ type, member: name('ada'), text });

beforeEach(() => {
  written = [];
  team = new ToldTeam({ ada: 'explorer/exec', bob: 'executor/exec' });
  team.add('Write tests');
});

describe('plain progress', () => {
  it('plain progress is a line for each new event, with time and member', async () => {
    const progress = watch();
    team.clock.advance(1_000);
    printed('12 of 30\u001b[2J pass\n');
    told('agent.printed', '12 of 30 pass');
    team.say({ type: 'task.assigned', task: '1', owner: name('ada') });
    told('member.exited', 'exit 1');
    await progress.stop();
    const shown = written.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''));
    expect(new Set(shown)).toEqual(
      new Set(['[ada] 12 of 30 pass\n', '[lead] gave #1 Write tests to ada\n', '[ada] its process ended: exit 1\n']),
    );
    expect(written).toHaveLength(3);
  });

  it('plain progress has every line of the agents, before the event that they led to', async () => {
    printed('earlier\n');
    const progress = watch();
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`);
    printed(`${lines.join('\n')}\n`);
    told('agent.printed', 'line 199');
    told('member.exited', 'exit 1');
    printed('no end');
    await progress.stop();
    const shown = written
      .join('')
      .split('\n')
      .map((line) => line.slice(9));
    expect(shown).toEqual([
      ...lines.map((line) => `[ada] ${line}`),
      '[ada] its process ended: exit 1',
      '[ada] no end',
      '',
    ]);
  });

  it('plain progress writes many lines at once, since a lead waits for each write', async () => {
    const progress = watch();
    const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index}`);
    printed(`${lines.join('\n')}\n`);
    await progress.stop();
    expect(written.join('').split('\n')).toHaveLength(100_001);
    expect(written.length).toBeLessThan(100);
  });

  it('plain progress looks for output four times a second, and once after ten seconds in which nothing came', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const progress = watch();
    const shownIn = async (ms: number): Promise<number> => {
      const before = written.length;
      await vi.advanceTimersByTimeAsync(ms);
      return written.length - before;
    };
    printed('one\n');
    expect(await shownIn(250)).toBe(1);
    await shownIn(10_000);
    printed('two\n');
    expect([await shownIn(250), await shownIn(750)]).toEqual([0, 1]);
    // A line came: it looks as before.
    await shownIn(1_000);
    printed('three\n');
    expect(await shownIn(250)).toBe(1);
    vi.useRealTimers();
    await progress.stop();
  });

  it('plain progress keeps the form of what is printed: indentation, empty lines, the last state of a progress bar', async () => {
    const progress = watch();
    printed('def total():\n    return 1\n\n\tdone\n 10%\r 20%\r100%\r\n');
    await progress.stop();
    const shown = written
      .join('')
      .split('\n')
      .map((line) => line.slice(9));
    expect(shown).toEqual(['[ada] def total():', '[ada]     return 1', '[ada]', '[ada] \tdone', '[ada] 100%', '']);
  });

  it('plain progress has what an attempt printed before its end, and what the next one printed after it', async () => {
    const log = new OutputLog(
      realDisk,
      team.store.paths.output(name('ada')),
      team.store.paths.outputParts(name('ada')),
    );
    mkdirSync(team.store.paths.logs, { recursive: true });
    team.add('Write docs');
    const progress = watch();
    team.started('ada');
    for (const task of ['1', '2']) {
      log.begin({ task, claim: 1 }, new Date().toISOString());
      // The last line of a command may have no end.
      log.append(Buffer.from(`of ${task}`));
      log.begin(undefined, new Date().toISOString());
      team.claim(task, 'ada').complete(task, 'ada');
    }
    log.close();
    await progress.stop();
    const shown = written
      .join('')
      .split('\n')
      .filter((line) => /of \d|done/.test(line));
    expect(shown.map((line) => line.slice(9))).toEqual([
      '[ada] of 1',
      '[ada] completed #1 Write tests: done',
      '[ada] of 2',
      '[ada] completed #2 Write docs: done',
    ]);
  });

  it('plain progress tells of a command that did its task the line that says how it ended', async () => {
    const progress = watch();
    team.started('ada').claim('1', 'ada');
    const summary = '\n> test\n> node --test\n\n# tests 3\n# pass 3\n# duration_ms 5.2\n';
    team.as('ada', { type: 'task.completed', task: '1', epoch: 1, result: { summary, exitCode: 0, files: [] } });
    await progress.stop();
    expect(written.at(-1)?.slice(9)).toBe('[ada] completed #1 Write tests: pass 3\n');
  });

  it('plain progress tells of a skip in one line, with the tasks that are skipped along', async () => {
    team.add('Build', { blockedBy: ['1'] }).add('Ship', { blockedBy: ['2'] });
    const progress = watch();
    team.say({ type: 'task.skipped', task: '2', why: 'blocker #1 failed', cascade: true });
    team.store.events.append({ type: 'lead.decided', act: 'skip', task: '2', text: 'blocker #1 failed' });
    await progress.stop();
    expect(written.map((line) => line.slice(9))).toEqual(['[lead] skipped #2 Build: blocker #1 failed (with it #3)\n']);
  });

  it('plain progress says how a request is answered', async () => {
    const request = ulid();
    const progress = watch();
    team.started('ada').claim('1', 'ada');
    team.as('ada', { type: 'request.made', request, kind: 'question', text: 'Which one?' });
    await progress.stop();
    expect(written.join('')).toContain(`answer it: teams answer login ${request} TEXT\n`);
  });

  it.each([
    ['a stream that is no terminal', {}],
    ['a dumb terminal', { isTTY: true, environment: { TERM: 'dumb' } }],
  ])('%s gets plain progress', async (_, options) => {
    const progress = watch(options);
    told('agent.said', 'hello');
    await progress.stop();
    expect(written.join('')).not.toContain(ESC);
  });
});

describe('live progress', () => {
  it('live progress leaves the last state and restores the cursor', async () => {
    const progress = watch({ isTTY: true });
    told('agent.printed', 'the last words');
    await progress.stop();
    await progress.stop();
    const all = written.join('');
    expect(written[0]).toContain(`${ESC}[?25l`);
    expect(all.slice(all.lastIndexOf(`${ESC}[J`))).toMatch(/\| the last words\n[^]*0\/1 done[^\n]*\n\u001b\[\?25h$/);
    expect(process.listenerCount('SIGWINCH')).toBe(0);
  });

  it('live progress has no colours if none are wanted', async () => {
    for (const options of [{ color: false }, { environment: { NO_COLOR: '1' } }]) {
      const progress = watch({ isTTY: true, ...options });
      await progress.stop();
    }
    expect(written.join('')).not.toMatch(/\u001b\[3\dm/);
  });

  it('live progress draws at most ten times a second', async () => {
    const progress = watch({ isTTY: true });
    const began = performance.now();
    for (let count = 0; count < 100; count += 1) {
      told('agent.printed', `line ${count}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await progress.stop();
    const drawn = written.filter((text) => text.includes('done')).length;
    expect(drawn).toBeGreaterThan(2);
    expect(drawn).toBeLessThanOrEqual((performance.now() - began) / 100 + 3);
  });

  it('live progress ends without an error when the team is archived meanwhile', async () => {
    const progress = watch({ isTTY: true });
    team.say({ type: 'team.closed' });
    await expect(progress.stop()).resolves.toBeUndefined();
  });
});

describe('the screen', () => {
  it('the screen is redrawn over lines that a narrower window has wrapped', () => {
    const terminal = { write: (text: string) => written.push(text), columns: 10 };
    const screen = new Screen(terminal);
    screen.draw(['12345678', 'ab']);
    terminal.columns = 4;
    screen.draw(['x']);
    screen.leave();
    expect(written).toEqual([`${ESC}[?25l12345678\nab\n`, `\r${ESC}[3A${ESC}[Jx\n`, `${ESC}[?25h`]);
  });
});
