/** The page in a real browser, moved through the past of a team. */
import { expect, it, describe } from 'vitest';
import { drawn, goTo, hasBrowser, useBrowser } from '../../support/browser.ts';
import { ToldTeam } from '../../support/told-team.ts';
import { openPage } from '../../support/web.ts';

/** Ten tasks, one of them begun and ended each ten seconds. */
function told(): ToldTeam {
  const team = new ToldTeam({ ada: 'executor/exec', bob: 'executor/exec' }).ledByUs().started('ada', 'bob');
  for (let at = 1; at <= 10; at += 1) team.wait(1_000).add(`Task ${at}`);
  team.mailed('ada', 'first').mailed('ada', 'second');
  for (let at = 1; at <= 6; at += 1) {
    team.wait(5_000).claim(String(at), 'ada').wait(5_000);
    if (at === 6) team.fail('6', 'ada', 'no disk');
    else team.complete(String(at), 'ada');
  }
  return team;
}

describe.skipIf(!hasBrowser)('the past of a team', () => {
  const open = useBrowser();

  it('is moved by events, by the slider and by playing, changes nothing, and leads back to now', async () => {
    const team = told();
    await team.reads('ada', 1);
    const page = await openPage(team.root);
    const { tab, complaints } = await open(page.url);
    await goTo(tab, 'board');
    const done = tab.getByRole('progressbar', { name: '5 of 10 tasks completed' });
    await done.waitFor();
    await tab.keyboard.press('t');
    const past = tab.getByRole('region', { name: 'Past' });
    await past.getByText(/event (\d+) of \1\./).waitFor();
    await done.waitFor();
    await past.getByRole('button', { name: 'One event back' }).click();
    await past.getByText('event 29 of 30.').waitFor();
    // Before the last event, the failure, the task was in progress.
    await tab.locator('.column-in_progress').getByText('Task 6').waitFor();
    await goTo(tab, 'overview');
    await tab.getByRole('button', { name: /^2 unread mail of ada/ }).waitFor();
    await goTo(tab, 'board');
    expect(await tab.getByRole('button', { name: 'Retry' }).count()).toBe(0);
    await past.getByRole('slider', { name: 'Moment' }).focus();
    await tab.keyboard.press('Home');
    await tab.getByRole('progressbar', { name: '0 of 0 tasks completed' }).waitFor();
    await past.getByLabel('Speed').selectOption('60');
    await past.getByRole('button', { name: 'Play' }).click();
    await done.waitFor();
    await past.getByRole('button', { name: 'Play' }).waitFor();
    await past.getByRole('button', { name: 'Back to now' }).click();
    await past.waitFor({ state: 'detached' });
    await done.waitFor();
    expect(complaints).toEqual([]);
  });

  it('has only the mail and the events of then', async () => {
    const team = told();
    team.wait(60_000).note('agent.said', { member: 'bob', text: 'only at the end' });
    const page = await openPage(team.root);
    const { tab } = await open(page.url);
    await goTo(tab, 'activity');
    await tab.getByText('only at the end').first().waitFor();
    await tab.getByRole('button', { name: 'Past', exact: true }).click();
    const past = tab.getByRole('region', { name: 'Past' });
    await past.getByRole('button', { name: 'One event back' }).click();
    await tab.getByText('only at the end').first().waitFor({ state: 'detached' });
    await drawn(tab);
    const answer = await page.ask('teams/login/past?at=1');
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('its first one was at');
    expect((await page.ask('teams/login/past?event=2&at=5')).status).toBe(400);
  });
});
