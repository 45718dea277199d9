/** What a run will use is told before it, by the tasks of earlier runs; afterwards the report says how far that was off. */
import { expect, it, onTestFinished } from 'vitest';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { Workplace } from '../support/cli.ts';

it('the estimate counts turns of models, and what they use by tasks of earlier runs', { timeout: 30_000 }, async () => {
  const place = new Workplace({ ANTHROPIC_API_KEY: 'k' });
  place.put(
    'model.yaml',
    'name: model\nmembers: [{name: ada, planApproval: true, agent: {kind: anthropic, model: m}}]\ntasks: [{subject: Build}, {subject: Mend}]\n',
  );
  const lineOf = (out: string): string | undefined => out.split('\n').find((line) => line.startsWith('Estimate'));
  const told = async (): Promise<string | undefined> => lineOf((await place.start('validate', 'model.yaml').ended).out);
  expect(await told()).toBe(
    'Estimate: 4 turns of a model or more; time, tokens and cost are unknown: no earlier run here has a finished task of anthropic',
  );
  const task = (tokens: number, agent = 'anthropic', status = 'completed'): object => {
    const work = { role: 'ada', agent, model: 'm', size: 'small', turns: 2, tokens, usd: tokens / 50_000 };
    return { status, durationMs: 60_000, work };
  };
  const put = (report: unknown): void => {
    place.put('.teams/.archive/old-20260101T000000000Z/tasks/log.jsonl', '');
    place.put('.teams/.archive/old-20260101T000000000Z/report.json', JSON.stringify(report));
  };
  put({
    tasks: [
      task(10_000),
      task(9, 'anthropic', 'failed'),
      task(7, 'codex'),
      { status: 'completed', work: null, durationMs: 3 },
    ],
  });
  expect(await told()).toBe(
    'Estimate: half of such runs use at most 4 turns, 20,000 tokens, $0.40, 2m00s; 9 of 10 at most 4 turns, 20,000 tokens, $0.40, 2m00s; by 1 task of earlier runs here',
  );
  const dry = await place.start('run', 'model.yaml', '--dry-run').ended;
  expect(lineOf(dry.out)).toBe(await told());
  const { estimate } = JSON.parse((await place.start('validate', 'model.yaml', '--json').ended).out) as {
    estimate: unknown;
  };
  const same = (value: number) => ({ median: value, p90: value });
  expect(estimate).toEqual({
    leastTurns: 4,
    turns: same(4),
    tokens: same(20_000),
    usd: same(0.4),
    durationMs: same(120_000),
    pastTasks: 1,
    unknown: [],
  });
  place.put('.teams/.archive/old-20260101T000000000Z/report.json', '{"tasks": 3');
  expect(await told()).toContain('unknown');
});

it('after a run the report says how far the estimate was off', { timeout: 120_000 }, async () => {
  const place = new Workplace({ ANTHROPIC_API_KEY: 'k' });
  let usage = { input: 4_000, output: 400 };
  const run = async (name: string): Promise<{ text: string; estimate: unknown }> => {
    const server = await ModelServer.start({ script: [{ text: 'Done.', times: 'always', usage }] });
    onTestFinished(() => server.close());
    const agent = `{kind: anthropic, model: claude-sonnet-5-5, baseUrl: '${server.url}'}`;
    place.put(
      `${name}.yaml`,
      `name: ${name}\nmembers: [{name: ada, agent: ${agent}}]\ntasks: [{subject: Build}, {subject: Mend}]\n`,
    );
    const { code, out, err } = await place.start('run', `${name}.yaml`).ended;
    expect(code, `${out}${err}`).toBe(0);
    const told = await place.start('report', name, '--json').ended;
    return { text: out, estimate: (JSON.parse(told.out) as { estimate: unknown }).estimate };
  };
  const first = await run('first');
  expect(first.text).not.toContain('Estimate');
  expect(first.estimate).toMatchObject({ tokens: null, usd: null, pastTasks: 0, unknown: ['anthropic'] });
  const second = await run('second');
  expect(second.text).toContain('  Turns: 2 used, 2 told (9 of 10 runs: at most 2): as told\n');
  expect(second.text).toContain('  Tokens: 8,800 used, 8,800 told (9 of 10 runs: at most 8,800): as told\n');
  expect(second.estimate).toMatchObject({ pastTasks: 2, unknown: [], usd: { median: 0.024, used: 0.024 } });
  usage = { input: 8_000, output: 800 };
  const third = await run('third');
  expect(third.text).toContain(
    '  Tokens: 17,600 used, 8,800 told (9 of 10 runs: at most 8,800): 100 % more, beyond both\n',
  );
});
