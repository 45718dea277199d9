/** The user's hooks: their input, the effect of a refusal, which may run, and that they end with their lead. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOOK_SCHEMAS } from '../../../src/model/team/hook-event.ts';
import { until, Workplace } from '../../support/cli.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { running } from '../../support/processes.ts';
import { lead, run, scripted, team } from '../../support/session.ts';

/** What hooks wrote, one JSON object a line. */
const told = (directory: string, file: string): unknown[] =>
  readFileSync(join(directory, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

const PLAN = `name: tidy
members: [{name: ada, agent: {kind: exec}}]
tasks: [{subject: Try, run: 'echo try >>tries; cat "$TEAMS_MAIL_FILE" >>mail'}]
`;

/** A workplace whose user configuration sets the hooks. */
function configured(hooks: Record<string, string>): Workplace {
  const place = new Workplace();
  place.put('home/config/teams/config.yaml', JSON.stringify({ hooks }));
  place.put('plan.yaml', PLAN);
  return place;
}

describe('onTaskCompleted', () => {
  it('onTaskCompleted sends a finished task back with its words until it accepts it; onFinished gets the report', async () => {
    const judge = 'cat >>told; [ $(wc -l <tries) -ge 2 ] || { echo "only once"; exit 2; }';
    const place = configured({ onTaskCompleted: judge, onFinished: 'cat >>report' });
    const { code, err } = await place.teams('run', 'plan.yaml');
    expect(code, err).toBe(0);
    expect(readFileSync(join(place.root, 'tries'), 'utf8')).toBe('try\ntry\n');
    const content = 'NOT DONE: Task #1 was refused by a check of the user: only once';
    expect(told(place.root, 'mail')).toMatchObject([{ kind: 'hook', content }]);
    const event = {
      hook: 'onTaskCompleted',
      team: 'tidy',
      root: place.root,
      member: 'ada',
      task: { id: '1', subject: 'Try' },
    };
    expect(told(place.root, 'told')).toMatchObject([event, event]);
    expect(told(place.root, 'report')).toMatchObject([
      {
        hook: 'onFinished',
        team: 'tidy',
        report: { outcome: 'succeeded', exitCode: 0, tasks: [{ status: 'completed' }] },
      },
    ]);
  });

  it('onTaskCompleted fails a task that it refused three times', async () => {
    const place = configured({ onTaskCompleted: 'echo never >&2; exit 2' });
    const { code, out } = await place.teams('run', 'plan.yaml');
    expect(code).toBe(1);
    expect(out).toMatch(/\[FAIL\] #1: Try \(ada, error: refused 3 times: .*never\)/);
    expect(readFileSync(join(place.root, 'tries'), 'utf8')).toBe('try\n'.repeat(3));
  });

  it('onTaskCompleted of an untrusted project does not run, and a broken one stops nothing', async () => {
    const place = configured({ onFinished: 'exit 7' });
    place.put('.teams/config.yaml', JSON.stringify({ hooks: { onTaskCompleted: 'touch ran; exit 2' } }));
    const { code, err } = await place.teams('run', 'plan.yaml');
    expect(code).toBe(0);
    expect(err).toContain('hooks is ignored');
    expect(existsSync(join(place.root, 'ran'))).toBe(false);
    expect((await place.teams('log', 'tidy', '--json')).out).toMatch(
      /"exit 7","hook":"onFinished","type":"hook.failed"/,
    );
  });

  it('onTaskCompleted ends with its lead, however the lead was killed', async () => {
    allowLeft(/lead\.lock$/);
    const place = configured({ onFinished: 'sleep 47.5' });
    const { child, ended } = place.start('run', 'plan.yaml');
    const sleeps = () => running().some(({ command, cwd }) => command === 'sleep 47.5' && cwd === place.root);
    await until(sleeps, 'the hook runs');
    child.kill('SIGKILL');
    await ended;
    await until(() => !sleeps(), 'the hook is gone', 2_000);
  });
});

describe('onTeammateIdle', () => {
  it('onTeammateIdle sends its words to a member as mail, three times at most without progress', async () => {
    const ada = scripted({ match: 'NOT IDLE', says: ['more'], answers: 'more', repeat: true }, { answers: 'done' });
    const on = await team({ members: [{ name: 'ada', agent: ada }], tasks: [{ subject: 'One' }] });
    const session = await lead(on, { endsWhenDone: false, hooks: { onTeammateIdle: 'cat >>told; echo dig; exit 2' } });
    await session.start(session.startable());
    const ends = session.run();
    const refused = () => on.events('hook.refused').length;
    await on.until('it was refused three times, and took a turn for each', () => {
      return refused() === 3 && on.events('agent.said').filter(({ text }) => text === 'more').length === 3;
    });
    session.halt();
    await ends;
    await session.shutDown({ force: true });
    const [first] = told(on.root, 'told');
    expect(HOOK_SCHEMAS.onTeammateIdle.strict().parse(first)).toMatchObject({ member: 'ada', completed: 1 });
  });
});

describe('onWaiting', () => {
  it('onWaiting is told once what a person must answer', async () => {
    const ask = { tool: 'SendMessage', input: { recipient: 'lead', kind: 'question', content: 'Which database?' } };
    const ada = scripted({ match: 'Postgres', answers: 'with Postgres' }, { calls: [ask], answers: 'asked' });
    const on = await team({ members: [{ name: 'ada', agent: ada }], tasks: [{ subject: 'Choose' }] });
    const ends = run(on, { hooks: { onWaiting: 'cat >>told' } });
    await on.until('it asks', ({ open }) => open.size === 1);
    await until(() => existsSync(join(on.root, 'told')), 'the hook is told');
    const [id = ''] = on.board().open.keys();
    await on.handle.send('ada', 'Postgres.', { request_id: id });
    expect(await ends).toBe('finished');
    expect(told(on.root, 'told')).toMatchObject([
      { hook: 'onWaiting', request: id, member: 'ada', task: '1', text: 'Which database?' },
    ]);
  });
});
