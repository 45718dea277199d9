/** A person who cancels, and an editor that goes away: no process is left, and the team can be resumed. */
import { once } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Editor } from '../../support/acp-editor.ts';
import { until, Workplace } from '../../support/cli.ts';
import { figure } from '../../support/figures.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { running } from '../../support/processes.ts';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put('stubborn', "#!/bin/sh\ntrap '' TERM INT\ntouch begun\nwhile [ ! -e go ]; do sleep 0.1; done\n");
  chmodSync(join(place.root, 'stubborn'), 0o755);
  const tasks =
    '[{subject: Work, owner: ada, run: ./stubborn}, {subject: Then, owner: ada, blockedBy: [Work], run: "true"}]';
  place.put('plan.yaml', `name: tiny\nmembers: [{name: ada, agent: {kind: exec}}]\ntasks: ${tasks}\n`);
});

const lives = (): string[] =>
  running().flatMap(({ pid, command, cwd }) =>
    pid !== process.pid && command !== '' && (cwd ?? '').startsWith(place.root) ? [command] : [],
  );
const status = z.object({ outcome: z.string(), lead: z.object({ alive: z.boolean() }) });

async function working() {
  const editor = await Editor.on(place);
  const session = await editor.session();
  const prompt = session.prompt('plan.yaml');
  await until(() => existsSync(join(place.root, 'begun')), 'the team works');
  return { editor, session, prompt };
}

describe('a person who cancels', () => {
  test('a cancel interrupts the members, answers `cancelled`, and the same prompt continues the team', async () => {
    const { editor, session, prompt } = await working();
    await session.cancel();
    expect(await prompt).toMatchObject({
      stopReason: 'cancelled',
      _meta: { teams: { team: 'tiny', outcome: 'interrupted' } },
    });
    expect(session.said()).toContain('`teams resume tiny`');
    expect(lives().filter((command) => command.includes('stubborn'))).toEqual([]);
    place.put('go', '');
    expect(await session.prompt('plan.yaml')).toMatchObject({ stopReason: 'end_turn' });
    expect(session.thought()).toContain('Continuing the unfinished team tiny.');
    expect(session.plans().at(-1)).toEqual(['completed #1 Work (ada)', 'completed #2 Then (ada)']);
    await editor.leave();
  });

  test('a cancel while the work is divided starts nothing', async () => {
    await using editor = await Editor.on(place, '--planner', 'exec:./stubborn', '--agent', 'exec:true');
    const session = await editor.session();
    const prompt = session.prompt('2:executor fix both');
    await until(() => existsSync(join(place.root, 'begun')), 'the planner works');
    await session.cancel();
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    expect(editor.asked).toEqual([]);
  });

  test('a cancel while the division waits for approval takes the question back', async () => {
    place.put(
      'division.json',
      JSON.stringify({ subtasks: [{ subject: 'A', description: 'a', acceptance: ['a'], files: ['a'] }] }),
    );
    await using editor = await Editor.on(place, '--planner', 'exec:cat division.json', '--agent', 'exec:true');
    editor.decide = () => undefined;
    const session = await editor.session();
    const prompt = session.prompt('1:executor fix it');
    await editor.isAsked();
    await session.cancel();
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    expect((await place.teams('list')).out).not.toContain('forge-team');
  });

  test('a cancel without a prompt does nothing', async () => {
    await using editor = await Editor.on(place);
    const session = await editor.session();
    await session.cancel();
    place.put('go', '');
    expect(await session.prompt('plan.yaml')).toMatchObject({ stopReason: 'end_turn' });
  });
});

/** How an editor goes away. */
const WAYS = {
  'closes our input': ({ process: agent }: Editor) => void agent.stdin.end(),
  'is killed'({ process: agent }: Editor) {
    agent.stdin.destroy();
    agent.stdout.destroy();
  },
  'sends SIGTERM': ({ process: agent }: Editor) => void agent.kill('SIGTERM'),
} as const;

describe('an editor that goes away while members work', () => {
  test.each(['closes our input', 'is killed', 'sends SIGTERM'] as const)(
    'an editor that %s interrupts the turns of the members, and the agent ends in 3 s',
    { timeout: 20_000 },
    async (how) => {
      const { editor, prompt } = await working();
      const answered = prompt.catch(() => undefined);
      const exited = once(editor.process, 'exit');
      const begun = performance.now();
      WAYS[how](editor);
      await exited;
      figure({
        area: `an editor that ${how}: the agent's end`,
        count: 1,
        violations: 0,
        times: [performance.now() - begun],
      });
      await until(() => lives().length === 0, 'nothing runs any more');
      await editor.leave();
      await answered;
      expect(await editor.stderr).not.toContain('Error');
      expect(await place.json(status, 'status', 'tiny')).toMatchObject({
        outcome: 'interrupted',
        lead: { alive: false },
      });
      place.put('go', '');
      expect((await place.teams('resume', 'tiny')).out).toContain('TEAM COMPLETE');
    },
  );

  test('an editor that closes our input while the work is divided ends the planner, and the agent ends in 3 s', async () => {
    const editor = await Editor.on(place, '--planner', 'exec:./stubborn', '--agent', 'exec:true');
    const session = await editor.session();
    const prompt = session.prompt('2:executor fix both').catch(() => undefined);
    await until(() => existsSync(join(place.root, 'begun')), 'the planner works');
    const begun = performance.now();
    expect(await editor.leave()).toBe(0);
    figure({
      area: "an editor that closes our input while the work is divided: the agent's end",
      count: 1,
      violations: 0,
      times: [performance.now() - begun],
    });
    expect(lives()).toEqual([]);
    await prompt;
  });

  test('an editor that kills the agent leaves no member, and the team can be resumed', async () => {
    allowLeft();
    const { editor, prompt } = await working();
    const answered = prompt.catch(() => undefined);
    const exited = once(editor.process, 'exit');
    editor.process.kill('SIGKILL');
    await exited;
    await until(() => lives().length === 0, 'nothing runs any more');
    await editor.leave();
    await answered;
    place.put('go', '');
    expect((await place.teams('resume', 'tiny')).out).toContain('TEAM COMPLETE');
  });

  test('an editor that goes away before a prompt ends the agent with exit 0', async () => {
    const editor = await Editor.on(place);
    await editor.session();
    expect(await editor.leave()).toBe(0);
  });
});

describe('who may be the agent', () => {
  test('a teammate cannot lead a team for an editor', async () => {
    const { code, err } = await place.say(['acp'], { environment: { TEAMS_MEMBER: 'ada' } });
    expect(code).toBe(2);
    expect(err).toContain('A teammate cannot lead a team');
  });
});
