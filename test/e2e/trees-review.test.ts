/** `isolation: {review: person}`: a change waits in the line until a person accepts it, or sends it back with a note. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { apply, openTeam } from '../../src/index.ts';
import { openHandle } from '../../src/runtime/team/team-handle.ts';
import { waitingQuestions } from '../../src/surfaces/person/waiting-questions.ts';
import { goTo, hasBrowser, useBrowser } from '../support/browser.ts';
import { BIN, until } from '../support/cli.ts';
import { noTmux, Terminal } from '../support/tmux.ts';
import { EXEC, scene, type Scene } from '../support/tree-scene.ts';
import { openPage } from '../support/web.ts';

/** A command writes what it was told when its change came back. */
const WRITES = [{ subject: 'One', owner: 'ada', run: 'echo "${TEAMS_NOTE:-first}" >ada.txt' }];

interface Waiting extends Scene {
  readonly ended: ReturnType<Scene['teams']>;
  /** Waits until a change of this claim is before a person. @returns the id of the request */
  readonly asked: (epoch?: number) => Promise<string>;
}

/** @param how.apart the lead is a process of its own */
function waiting(tasks: readonly object[] = WRITES, { apart = false } = {}): Waiting {
  const one = scene({ tasks, isolation: { mode: 'trees', review: 'person' } });
  const ended = apart ? one.place.shell('cd work && teams run p.json --quiet') : one.teams('run', 'p.json', '--quiet');
  const asked = async (epoch = 1): Promise<string> => {
    let id: string | undefined;
    const isAsked = async (): Promise<boolean> => {
      if ((await one.teams('status', 'p')).code !== 0) return false;
      await using team = openHandle('p', { root: one.at, environment: {} });
      const open = [...team.store.board.fold().open.values()].find((request) => request.epoch === epoch);
      id = open?.kind === 'review' ? open.id : undefined;
      return id !== undefined;
    };
    await until(isAsked, 'a change waits for a person', 30_000);
    return id ?? '';
  };
  return { ...one, ended, asked };
}

it('waits for a person, goes back with the note, and lands when it is accepted', async () => {
  const { teams, ended, asked, landed } = waiting([
    ...WRITES,
    { subject: 'Two', owner: 'bob', run: 'cat ada.txt', blockedBy: [1] },
  ]);
  await asked();
  expect((await teams('status', 'p', '--json')).out).toContain('"outcome":"waiting"');
  const why = (await teams('why', 'p', '1')).out;
  expect(why).toContain("waits for a person's review of its change");
  expect(why).toContain('teams task approve p 1');
  expect((await teams('diff', 'p', '1')).out).toContain('+first');
  expect((await teams('why', 'p', '2')).out).toContain("a person's review");
  // Nothing is accepted without a word about what to change, and nothing by a member.
  expect((await teams('task', 'refuse', 'p', '1', '')).code).toBe(2);
  expect((await teams('task', 'approve', 'p', '1', '--as', 'bob')).err).toContain('only the lead answers');
  expect((await teams('task', 'refuse', 'p', '1', 'more words')).code).toBe(0);
  await asked(2);
  expect((await teams('diff', 'p', '1')).out).toContain('+more words');
  expect((await teams('task', 'approve', 'p', '1')).code).toBe(0);
  const { code, out, err } = await ended;
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('ada.txt')).toBe('more words\n');
  expect((await teams('task', 'approve', 'p', '1')).code).toBe(3);
}, 60_000);

it('other changes land meanwhile, and what a person accepted outlives the lead', async () => {
  const { teams, ended, asked, landed } = waiting(
    [...WRITES, { subject: 'Two', owner: 'bob', run: 'echo bob >bob.txt' }],
    {
      apart: true,
    },
  );
  await asked();
  await until(async () => (await teams('task', 'list', 'p')).out.match(/landing/g)?.length === 2, 'both wait', 30_000);
  expect((await teams('task', 'approve', 'p', '2')).code).toBe(0);
  await until(async () => (await teams('task', 'list', 'p')).out.includes('completed'), 'one landed', 30_000);
  const { lead } = z
    .object({ lead: z.object({ pid: z.number() }) })
    .parse(JSON.parse((await teams('status', 'p', '--json')).out));
  process.kill(lead.pid, 'SIGKILL');
  expect((await ended).code).not.toBe(0);
  expect((await teams('task', 'approve', 'p', '1')).code).toBe(0);
  const resumed = await teams('resume', 'p', '--quiet');
  expect(resumed.code, `${resumed.out}${resumed.err}`).toBe(0);
  expect([landed('ada.txt'), landed('bob.txt')]).toEqual(['first\n', 'bob\n']);
}, 60_000);

describe('a change is reviewed', () => {
  it.skipIf(noTmux())(
    'in watch, by one key',
    async () => {
      const { place, at, ended, asked, landed } = waiting();
      await asked();
      const terminal = new Terminal(`"${process.execPath}" "${BIN}" watch p`, place.environment, {
        cwd: at,
        columns: 140,
        rows: 40,
      });
      await terminal.shows(/REVIEW of ada[^]*ada\.txt/);
      terminal.type('r');
      await terminal.shows(/send ada's change of #1 back, because/);
      terminal.type('more words');
      terminal.press('Enter');
      await asked(2);
      await terminal.shows(/REVIEW of ada/);
      terminal.type('a');
      await terminal.shows(/accept ada's change of #1/);
      terminal.press('Enter');
      expect((await ended).code).toBe(0);
      expect(landed('ada.txt')).toBe('more words\n');
      terminal.type('q');
      await terminal.shows(/EXIT 0/);
    },
    60_000,
  );

  it('on the page', async () => {
    const { at, ended, asked, landed } = waiting();
    await asked();
    const page = await openPage(at);
    expect((await page.do('p', { do: 'judge', task: '1', approve: false, text: '' })).status).toBe(400);
    expect((await page.do('p', { do: 'judge', task: '1', approve: false, text: 'more words' })).status).toBe(200);
    await asked(2);
    expect((await page.do('p', { do: 'judge', task: '1', approve: true, text: '' })).status).toBe(200);
    expect((await ended).code).toBe(0);
    expect(landed('ada.txt')).toBe('more words\n');
  }, 60_000);

  describe.skipIf(!hasBrowser)('in a browser', () => {
    const open = useBrowser();

    it('beside the change itself', async () => {
      const { at, ended, asked, landed } = waiting();
      await asked();
      const page = await openPage(at);
      const { tab } = await open(page.url);
      await goTo(tab, 'board/task/1', 'p');
      const aside = tab.getByRole('complementary');
      await aside.getByLabel('Changes', { exact: true }).getByText('+first').waitFor();
      await aside.getByLabel('Requested changes').fill('more words');
      await aside.getByRole('button', { name: 'Send it back' }).click();
      await asked(2);
      await aside.getByLabel('Changes', { exact: true }).getByText('+more words').waitFor();
      await goTo(tab, 'changes', 'p');
      await tab.getByLabel('Whose changes').selectOption('1');
      await tab.getByLabel('Changes', { exact: true }).getByText('+more words').waitFor();
      await goTo(tab, 'board/task/1', 'p');
      await aside.getByRole('button', { name: 'Accept' }).click();
      expect((await ended).code).toBe(0);
      expect(landed('ada.txt')).toBe('more words\n');
    }, 60_000);
  });

  it('by a form, as hosts show it', async () => {
    const { at, ended, asked, landed } = waiting();
    const id = await asked();
    await using team = openHandle('p', { root: at, environment: {} });
    const form = (key: string) => waitingQuestions(team).find((question) => question.key === key);
    expect(form(id)?.kind).toBe('review');
    expect(form(id)?.message).toMatch(/waits for your review of its change[^]*ada\.txt/);
    await form(id)?.answer({ approve: false, note: 'more words' });
    await form(await asked(2))?.answer({ approve: true });
    expect((await ended).code).toBe(0);
    expect(landed('ada.txt')).toBe('more words\n');
  }, 60_000);

  it('by a program that uses the library', async () => {
    const { at, ended, asked, landed } = waiting();
    const id = await asked();
    await using team = await openTeam('p', { root: at });
    expect(team.requests()).toMatchObject([{ id, kind: 'review', from: 'ada', task: '1' }]);
    await team.judge('1', { approve: false, text: 'more words' });
    await asked(2);
    expect(team.board.get('1')).toMatchObject({ status: 'landing', result: { files: ['ada.txt'] } });
    expect(await team.diff('1')).toMatchObject({
      files: [{ path: 'ada.txt' }],
      text: expect.stringContaining('+more words') as unknown,
    });
    await team.judge('1', { approve: true });
    expect((await ended).code).toBe(0);
    expect(landed('ada.txt')).toBe('more words\n');
    expect(await apply('p', { root: at })).toEqual({ landed: 1, files: ['ada.txt'] });
    expect(readFileSync(join(at, 'ada.txt'), 'utf8')).toBe('more words\n');
    expect((await apply('p', { root: at, task: '1' })).files).toEqual([]);
  }, 60_000);

  it('by no message of a lead that is an agent', async () => {
    const { at, teams, ended, asked } = waiting();
    const id = await asked();
    await using team = openHandle('p', { root: at, environment: {} });
    const sent = team.send('ada', 'fine', { type: 'plan_approval_response', request_id: id, data: { approve: true } });
    await expect(sent).rejects.toMatchObject({ code: 'POLICY_DENIED' });
    await teams('task', 'approve', 'p', '1');
    expect((await ended).code).toBe(0);
  }, 60_000);
});

it('a plan without trees cannot ask for it', async () => {
  const { at, teams } = scene({ tasks: WRITES, members: EXEC, isolation: { mode: 'off', review: 'person' } });
  const { code, err } = await teams('run', 'p.json', '--quiet');
  expect(code).toBe(5);
  expect(err).toContain('holds changes of trees');
  expect(existsSync(join(at, '.teams/p'))).toBe(false);
});
