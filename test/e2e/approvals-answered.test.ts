/** A permission is answered in the terminal, on the page, by an editor and by a form: each time the call goes on. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Editor } from '../support/acp-editor.ts';
import { bash, crew, started } from '../support/asking-crew.ts';
import { openHandle } from '../../src/runtime/team/team-handle.ts';
import { waitingQuestions } from '../../src/surfaces/person/waiting-questions.ts';
import { BIN, type Workplace } from '../support/cli.ts';
import { noTmux, Terminal } from '../support/tmux.ts';
import { openPage } from '../support/web.ts';

const MAKES = [bash('echo made >made.txt')];
const made = (place: Workplace): boolean => existsSync(join(place.root, 'made.txt'));

describe('a permission is answered', () => {
  it.skipIf(noTmux())('in watch, by one key and Enter', async () => {
    const { place, ended, open, approvals } = await started(MAKES);
    await open();
    const line = `"${process.execPath}" "${BIN}" watch crew`;
    const terminal = new Terminal(line, place.environment, { cwd: place.root, columns: 140, rows: 40 });
    await terminal.shows(/PERMISSION of ada[^]*echo made >made\.txt/);
    terminal.type('a');
    await terminal.shows(/allow ada this call/);
    terminal.press('Enter');
    expect((await ended).code).toBe(0);
    expect(made(place)).toBe(true);
    expect((await approvals()).asked).toMatchObject([{ outcome: 'allowed' }]);
    terminal.type('q');
    await terminal.shows(/EXIT 0/);
  });

  it.each([
    ['yes', true, 'allowed'],
    ['no not now', false, 'refused'],
    ['always tool', true, 'allowed'],
  ])('on the page: %s', async (text, isMade, outcome) => {
    const { place, ended, open, approvals } = await started(MAKES);
    const request = await open();
    const page = await openPage(place.root);
    const bad = await page.do('crew', { do: 'answer', request, text: 'perhaps' });
    expect(bad.status).toBe(400);
    expect((await page.do('crew', { do: 'answer', request, text })).status).toBe(200);
    expect((await ended).code).toBe(0);
    expect(made(place)).toBe(isMade);
    expect(await approvals()).toMatchObject({
      asked: [{ outcome }],
      allowed: text === 'always tool' ? [{ tool: 'bash' }] : [],
    });
    expect((await page.do('crew', { do: 'answer', request, text: 'yes' })).status).toBe(409);
  });

  it.each([
    ['allow', true],
    ['always', true],
    ['reject', false],
  ])('in an editor: %s', async (option, isMade) => {
    const { place } = await crew(MAKES);
    await using editor = await Editor.on(place);
    editor.decide = ({ options }) => options.find(({ optionId }) => optionId === option)?.optionId ?? 'allow';
    const session = await editor.session();
    expect(await session.prompt('crew.yaml')).toMatchObject({ _meta: { teams: { outcome: 'succeeded' } } });
    const asked = await editor.isAsked();
    expect(JSON.stringify(asked.toolCall.content)).toContain('echo made >made.txt');
    expect(made(place)).toBe(isMade);
  });

  it.each([
    [{ answer: 'yes' }, true],
    [{ answer: 'no', reason: 'not now' }, false],
  ])('by a form, as hosts show it: %o', async (content, isMade) => {
    const { place, server, ended, open } = await started(MAKES);
    const id = await open();
    await using team = openHandle('crew', { root: place.root, environment: {} });
    const question = waitingQuestions(team).find(({ key }) => key === id);
    expect(question?.kind).toBe('permission');
    expect(question?.message).toContain('echo made >made.txt');
    await expect(question?.answer({ answer: 'perhaps' })).rejects.toMatchObject({ code: 'USAGE' });
    await question?.answer(content);
    expect((await ended).code).toBe(0);
    expect(made(place)).toBe(isMade);
    expect(JSON.stringify(server.requests.at(-1)?.body).includes('denied by a person: not now')).toBe(!isMade);
  });

  it('and the report says by whom', async () => {
    const { place, ended, open } = await started(MAKES);
    await place.teams('answer', 'crew', await open(), 'yes');
    expect((await ended).out).toMatch(/asked for permission: .*: allowed/);
    expect(readFileSync(join(place.root, 'made.txt'), 'utf8')).toBe('made\n');
  });
});
