/** A whole run under a clock that is before 1970. */
import { expect, it } from 'vitest';
import * as z from 'zod';
import { Workplace } from '../../support/cli.ts';

const YEARS_MS = 61 * 365.25 * 24 * 3_600_000;

it('a run before 1970 does its work, delivers its mail, and can be looked at', async () => {
  const place = new Workplace();
  const clock = place.put('clock.cjs', `const now = Date.now; Date.now = () => now() - ${YEARS_MS};\n`);
  place.environment['NODE_OPTIONS'] = `--require ${clock}`;
  const tasks = [
    { subject: 'Send', run: 'teams send bob hello' },
    { subject: 'Then', run: 'echo ok > done', owner: 'bob', blockedBy: [1] },
  ];
  const members = ['ada', 'bob'].map((name) => ({ name, agent: { kind: 'exec' } }));
  place.put('plan.json', JSON.stringify({ name: 'login', members, tasks }));
  const run = await place.start('run', 'plan.json').ended;
  expect(run.code, run.err).toBe(0);
  for (const verb of [['status'], ['log'], ['report'], ['why'], ['inbox', 'bob'], ['send', 'ada', 'x']]) {
    const { code, err } = await place.start(...verb.slice(0, 1), 'login', ...verb.slice(1)).ended;
    expect(code, `${verb.join(' ')}: ${err}`).toBe(0);
  }
  const report = await place.start('report', 'login', '--json').ended;
  expect(z.looseObject({ durationMs: z.number().min(0).max(60_000) }).safeParse(JSON.parse(report.out)).success).toBe(
    true,
  );
});
