/**
 * Permission questions of the real programs in a team (`approvals: ask`), answered in each of the five ways; asked anew
 * after a crash; refused when nobody answers.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentSpec } from '../../src/model/agent/agent.ts';
import { openHandle } from '../../src/runtime/team/team-handle.ts';
import { waitingQuestions } from '../../src/surfaces/person/waiting-questions.ts';
import type { Asked } from '../fixtures/model-server/asked.ts';
import type { Step, ToolUse } from '../fixtures/model-server/script.ts';
import { Editor } from '../support/acp-editor.ts';
import { crew, started } from '../support/asking-crew.ts';
import { BIN, until, type Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { noTmux, Terminal } from '../support/tmux.ts';
import { openPage } from '../support/web.ts';
import { environment, reach, realCli, type RealCli } from './clis.ts';

beforeEach(() => {
  allowLeft();
  allowLeft(/\/(?:codex|claude|gemini|homes|home)\//);
});

/** Claude by its own protocol, Codex by its app server, Gemini by ACP. */
const TOUCH = {
  claude: { tool: 'Bash', input: { command: 'touch made', description: 'makes it' } },
  codex: { tool: 'exec_command', input: { cmd: 'touch made' } },
  gemini: { tool: 'run_shell_command', input: { command: 'touch made', description: 'makes it' } },
} as const satisfies Partial<Record<RealCli, ToolUse>>;
type Kind = keyof typeof TOUCH;
const KINDS = ['claude', 'codex', 'gemini'] as const satisfies Kind[];

const options = (kind: Kind, more = '') => ({
  more,
  agent: async (url: string): Promise<AgentSpec> => {
    const { PATH: _, HOME: __, ...keys } = environment('');
    return { kind, command: [await realCli(kind)], ...reach(kind, url), env: keys };
  },
});
const calls = (kind: Kind): Step => ({ calls: [TOUCH[kind]] });
const made = (place: Workplace): boolean => existsSync(join(place.root, 'made'));
const WITHIN_MS = 60_000;

describe.each(KINDS)('a permission that the real %s asks for is answered', (kind) => {
  it.each([
    ['yes', true],
    ['no', false],
  ])('by `teams answer`: %s', { timeout: WITHIN_MS }, async (text, isMade) => {
    const { place, ended, open, approvals } = await started([calls(kind)], options(kind));
    const request = await open();
    expect((await approvals()).asked[0]?.text).toContain('touch made');
    expect(made(place)).toBe(false);
    expect((await place.teams('answer', 'crew', request, text)).code).toBe(0);
    const { code, out } = await ended;
    expect({ code, isMade: made(place) }).toEqual({ code: 0, isMade });
    expect(out).toMatch(isMade ? /asked for permission: .*: allowed/ : /asked for permission: .*: refused/);
  });

  it.skipIf(noTmux())('in watch', { timeout: WITHIN_MS }, async () => {
    const { place, ended, open } = await started([calls(kind)], options(kind));
    await open();
    const line = `"${process.execPath}" "${BIN}" watch crew`;
    const terminal = new Terminal(line, place.environment, { cwd: place.root, columns: 140, rows: 40 });
    await terminal.shows(/PERMISSION of ada[^]*touch made/);
    terminal.type('a');
    await terminal.shows(/allow ada this call/);
    terminal.press('Enter');
    expect((await ended).code).toBe(0);
    expect(made(place)).toBe(true);
    terminal.type('q');
    await terminal.shows(/EXIT 0/);
  });

  it('on the page', { timeout: WITHIN_MS }, async () => {
    const { place, ended, open } = await started([calls(kind)], options(kind));
    const request = await open();
    const page = await openPage(place.root);
    expect((await page.do('crew', { do: 'answer', request, text: 'yes' })).status).toBe(200);
    expect((await ended).code).toBe(0);
    expect(made(place)).toBe(true);
  });

  it('by a form of a host', { timeout: WITHIN_MS }, async () => {
    const { place, ended, open } = await started([calls(kind)], options(kind));
    const id = await open();
    await using team = openHandle('crew', { root: place.root, environment: {} });
    const question = waitingQuestions(team).find(({ key }) => key === id);
    expect(question?.message).toContain('touch made');
    await question?.answer({ answer: 'yes' });
    expect((await ended).code).toBe(0);
    expect(made(place)).toBe(true);
  });

  it('in an editor', { timeout: WITHIN_MS }, async () => {
    const { place } = await crew([calls(kind)], options(kind));
    await using editor = await Editor.on(place);
    editor.decide = ({ options: offered }) => offered.find(({ optionId }) => optionId === 'allow')?.optionId;
    const session = await editor.session();
    expect(await session.prompt('crew.yaml')).toMatchObject({ _meta: { teams: { outcome: 'succeeded' } } });
    expect(JSON.stringify((await editor.isAsked()).toolCall.content)).toContain('touch made');
    expect(made(place)).toBe(true);
  });

  it('when it is asked anew, after the process was killed', { timeout: WITHIN_MS }, async () => {
    // A program whose teammate was killed may live for one more call: its question failed, as it sees it.
    const script = ({ messages }: Asked): Step => (messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : calls(kind));
    const { place, ended, open, approvals } = await started(script, options(kind));
    const first = await open();
    const path = join(place.root, '.teams', 'crew', 'processes', 'ada.json');
    process.kill(z.object({ pid: z.number() }).parse(JSON.parse(readFileSync(path, 'utf8'))).pid, 'SIGKILL');
    await until(async () => (await approvals()).asked[0]?.outcome === 'withdrawn', 'the first is withdrawn', 30_000);
    expect((await place.teams('answer', 'crew', first, 'yes')).code).not.toBe(0);
    const second = await open();
    expect(second).not.toBe(first);
    expect(made(place)).toBe(false);
    await place.teams('answer', 'crew', second, 'yes');
    expect((await ended).code).toBe(0);
    expect(made(place)).toBe(true);
  });

  it('by nobody in time: then it is refused', { timeout: WITHIN_MS }, async () => {
    const { place, ended, approvals } = await started([calls(kind)], options(kind, 'approvalTimeout: 2s'));
    expect((await ended).code).toBe(0);
    expect((await approvals()).asked).toMatchObject([{ outcome: 'withdrawn', answer: 'nobody answered for 2s' }]);
    expect(made(place)).toBe(false);
  });
});
