/** What a team has cost by the `prices` of the configuration, in each verb that tells it. */
import { expect, it } from 'vitest';
import * as z from 'zod';
import { listener, until, Workplace } from '../../support/cli.ts';
import { ToldTeam } from '../../support/told-team.ts';
import { Page } from '../../support/web.ts';

const TEAMS_PRICES = JSON.stringify({ ours: { input: 2, output: 4 } });
/** A million tokens in, and half a million out, of a model whose price only the configuration knows. */
const SPENT = { kind: 'openai', model: 'ours', input_tokens: 1_000_000, output_tokens: 500_000 };

function spentTeam(root: string): ToldTeam {
  const told = new ToldTeam({ ada: 'executor/openai' }, { root });
  return told
    .started('ada')
    .add('Write')
    .claim('1', 'ada')
    .note('agent.spent', { member: 'ada', task: '1', ...SPENT });
}

it('the report and the export count with the configured prices', async () => {
  const place = new Workplace({ TEAMS_PRICES });
  spentTeam(place.root);
  const spending = z.object({ spending: z.object({ usd: z.number() }) });
  expect(await place.json(spending, 'report', 'login')).toEqual({ spending: { usd: 4 } });
  const exported = z.object({
    spending: z.object({ usd: z.number() }),
    report: z.object({ spending: z.object({ usd: z.number() }) }),
  });
  expect(await place.json(exported, 'export', 'login')).toEqual({
    spending: { usd: 4 },
    report: { spending: { usd: 4 } },
  });
});

it('the page counts with the configured prices', async () => {
  const place = new Workplace({ TEAMS_PRICES });
  spentTeam(place.root);
  const { heard, leave, ...io } = listener();
  const served = place.say(['ui', '--json'], io);
  await until(() => heard.join('').includes('\n'), 'an address');
  const page = new Page(z.object({ url: z.string(), port: z.number() }).parse(JSON.parse(heard.join(''))));
  const { head } = await page.hear('login', (update) => !update.head.isReading);
  leave();
  expect([head.spent, (await served).code]).toMatchObject([{ usd: 4 }, 0]);
});
