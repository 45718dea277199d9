/** What a person approves before a run of a task in words starts: the division, its follow-ups, turns and cost. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BIN, Workplace } from '../support/cli.ts';
import { noTmux, Terminal } from '../support/tmux.ts';

const PLAN =
  "name: one\nmembers: [{name: ada, agent: {kind: exec}}]\ntasks: [{subject: A, owner: ada, run: 'echo one'}]\n";
const WIDE = { columns: 110, rows: 60 };

/** A run of a task in words by shell commands, on a terminal. */
function asked(): { place: Workplace; terminal: Terminal } {
  const place = new Workplace();
  const subtasks = [
    { subject: 'Implement the API', description: 'Make it.', acceptance: ['it works'], files: ['api.txt'] },
    { subject: 'Explore the docs', description: 'Read.', acceptance: ['it is told'], files: [] },
  ];
  place.put('answer.json', JSON.stringify({ subtasks }));
  const words = `run "make the API" --planner "exec:cat answer.json" --agent "exec:cat >/dev/null; echo done"`;
  const command = `${process.execPath} ${BIN} ${words}`;
  return { place, terminal: new Terminal(command, place.environment, { ...WIDE, cwd: place.root }) };
}

describe.skipIf(noTmux())('the question before a run', () => {
  it('shows follow-ups, and no starts nothing and exits with 1', async () => {
    const { place, terminal } = asked();
    const shown = await terminal.shows(/Proceed\? \[Y\/n\]/);
    expect(shown).toMatch(/TEAM DECOMPOSITION[^]*#1 .*Implement the API[^]*Follow-ups: 2 more tasks/);
    expect(shown).toContain('after #1: Write tests for the API (test-engineer)');
    expect(shown).toContain('then: Review the API and tests (quality-reviewer)');
    terminal.typing('n');
    expect(await terminal.shows(/EXIT \d/)).toMatch(/Nothing was started\.\s+EXIT 1/);
    expect(existsSync(join(place.root, '.teams'))).toBe(false);
  });

  it('yes runs what was shown: the tasks and their follow-ups', async () => {
    const { terminal } = asked();
    await terminal.shows(/Proceed\? \[Y\/n\]/);
    terminal.typing('y');
    const after = await terminal.shows(/EXIT \d/);
    expect(after).toMatch(/TEAM COMPLETE[^]*EXIT 0/);
    const done = [...after.matchAll(/\[DONE\] #\d+: (.+?) \(/g)].map(([, subject]) => subject);
    expect(done.toSorted()).toEqual([
      'Explore the docs',
      'Implement the API',
      'Review the API and tests',
      'Write tests for the API',
    ]);
  });

  it.each(['C-c', 'C-d'])('%s starts nothing, in one sentence, and exits with 130', async (key) => {
    const { place, terminal } = asked();
    await terminal.shows(/Proceed\? \[Y\/n\]/);
    terminal.press(key);
    const after = await terminal.shows(/EXIT \d/);
    expect(after).toMatch(/teams: The question was not answered, so nothing was done\.\s+EXIT 130/);
    expect(after).not.toContain('bug');
    expect(existsSync(join(place.root, '.teams'))).toBe(false);
  });
});

describe.skipIf(noTmux())('the question before an action', () => {
  it.each(['C-c', 'C-d'])('%s does nothing, in one sentence, and exits with 130', async (key) => {
    const place = new Workplace();
    place.put('plan.yaml', PLAN);
    await place.teams('run', 'plan.yaml');
    place.put('plan.yaml', PLAN.replace('echo one', 'echo two').replace('A,', 'B,'));
    const command = `${process.execPath} ${BIN} up plan.yaml`;
    const terminal = new Terminal(command, place.environment, { ...WIDE, cwd: place.root });
    await terminal.shows(/Change the team so\? \[y\/N\]/);
    terminal.press(key);
    const after = await terminal.shows(/EXIT \d/);
    expect(after).toMatch(/teams: The question was not answered, so nothing was done\.\s+EXIT 130/);
    expect((await place.teams('task', 'list', 'one')).out).not.toContain('#2');
  });
});
