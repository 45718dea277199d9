/**
 * A question to a person: who waits and how long; the answer is delivered and used once, whatever was killed meanwhile.
 */
import { readFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../../src/model/text/errors.ts';
import type { Task } from '../../../src/model/board/task.ts';
import { openTeam } from '../../../src/runtime/runs/api.ts';
import { join } from '../../../src/runtime/teammate/join.ts';
import { statusOf } from '../../../src/runtime/views/status.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { pastMail } from '../../../src/store/mail/inbox-view.ts';
import { BIN } from '../../support/cli.ts';
import { execAgent } from '../../../src/model/agent/agent.ts';
import { atWork, leadProcess, reopened, scripted, team, untilGone, type Team } from '../../support/session.ts';
import { name } from '../../support/team.ts';

const ASK = { tool: 'SendMessage', input: { recipient: 'lead', kind: 'question', content: 'Which database?' } };
/** Asks once, and records how often it went on with an answer. */
const asker = () =>
  scripted(
    { match: 'to the question', says: ['went on'], answers: 'with the answer', repeat: true },
    { calls: [ASK], answers: 'asked' },
  );

const claims = (task: Task | undefined): number => (task?.status === 'in_progress' ? task.claims : 0);
const idleNotices = (on: Team): number => [...on.handle.inbox('lead')].filter(({ kind }) => kind === 'idle').length;
const openId = (on: Team): string => [...on.board().open.keys()][0] ?? '';
const asked = (on: Team): Promise<void> => on.until('it asks', (board) => board.open.size === 1);
const done = (on: Team): Promise<void> => on.until('done', (board) => board.tasks.get('1')?.status === 'completed');
const said = (on: Team): number => on.events('agent.said').filter(({ text }) => text === 'went on').length;

describe('the order of a teammate', () => {
  it('a teammate reads its inbox before it claims a ready task; mail during work waits for its next turn', async () => {
    const says = (match: string, text: string) => ({ match, says: [text], answers: text, repeat: true as const });
    const ada = scripted(says('mail from', 'mail'), says('One', 'one'), says('Two', 'two'));
    const on = await team({ members: [{ name: 'ada', agent: ada }], tasks: [{ subject: 'One' }, { subject: 'Two' }] });
    await on.handle.send('ada', 'Read me first.');
    await atWork(on, 'ada');
    await on.until('all is done', ({ tasks }) => [...tasks.values()].every(({ status }) => status === 'completed'));
    expect(on.events('agent.said').map(({ text }) => text)).toEqual(['mail', 'one', 'two']);
    await on.until('it told its lead that it is idle', () => idleNotices(on) === 1);
  });
});

describe('a question', () => {
  it('a question survives kill -9 of everything: it still waits, is answered once, and its asker goes on once', async () => {
    const on = await team({ members: [{ name: 'ada', agent: asker() }], tasks: [{ subject: 'Choose' }] });
    const first = await leadProcess(on);
    await asked(on);
    const id = openId(on);
    const marks = on.marks();
    process.kill(on.pid('ada'), 'SIGKILL');
    first.child.kill('SIGKILL');
    await first.ended;
    await untilGone(marks, 10_000);

    const second = await leadProcess(on);
    await on.until('ada has its task again', ({ tasks }) => claims(tasks.get('1')) > 1);
    expect(openId(on)).toBe(id);
    const [waiting] = statusOf(on.handle.store).members;
    expect(waiting).toMatchObject({
      name: 'ada',
      state: 'waiting',
      reason: expect.stringMatching(new RegExp(`^task #1: asks the lead: .*\\(${id}, since `)) as string,
    });
    const answers = await Promise.allSettled(['one', 'two', 'three'].map((text) => on.handle.answer(id, text)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await done(on);
    await second.ended;
    expect(said(on)).toBe(1);
    expect([...pastMail(realDisk, on.paths.inbox(name('ada')))].filter(({ kind }) => kind === 'answer')).toHaveLength(
      1,
    );
    expect([...on.handle.inbox('lead')].filter(({ kind }) => kind === 'question')).toEqual([]);
  });

  it('a question that is answered while no process runs is closed, and its task goes on with the answer', async () => {
    const on = await team({ members: [{ name: 'ada', agent: asker() }], tasks: [{ subject: 'Choose' }] });
    const end = await atWork(on, 'ada');
    await asked(on);
    await end();
    await on.handle.answer(openId(on), 'Postgres.');
    await atWork(on, 'ada');
    await done(on);
    expect(said(on)).toBe(1);
  });

  it('a command can ask a question too, and runs again with the answer in its mail', async () => {
    const script = [
      'if grep -q Postgres "$TEAMS_MAIL_FILE"; then echo chosen >> out; else echo asked >> out;',
      `"${process.execPath}" "${BIN}" send lead 'Which database?' --kind question; fi`,
    ].join(' ');
    const on = await team({ members: [{ name: 'ada', agent: execAgent(script) }], tasks: [{ subject: 'Choose' }] });
    await atWork(on, 'ada');
    await asked(on);
    await on.handle.answer(openId(on), 'Postgres.');
    await done(on);
    expect(readFileSync(path(on.root, 'out'), 'utf8')).toBe('asked\nchosen\n');
  });

  it('an asker can read mail; without an answer nothing is completed, and no member leaves', async () => {
    const echo = scripted({ match: 'How', says: ['well'], repeat: true }, { calls: [ASK], answers: 'asked' });
    const on = await team({ members: [{ name: 'ada', agent: echo }], tasks: [{ subject: 'Choose' }] });
    const teammate = await join(reopened(on.paths), name('ada'), { byHand: true, environment: {}, idleTimeoutMs: 0 });
    const left = teammate.run();
    await asked(on);
    await on.handle.send('ada', 'How are you?');
    await on.until('it read its mail', () => on.events('agent.said').length === 1);
    expect(on.task('1').status).toBe('in_progress');
    await on.handle.board.cancel('1');
    expect(await left).toBe('idle');
  });

  it('a question is answered through the library, by the lead alone, and never twice', async () => {
    const on = await team({ members: [{ name: 'ada', agent: asker() }, 'bob'], tasks: [{ subject: 'Choose' }] });
    await atWork(on, 'ada');
    await asked(on);
    const id = openId(on);
    await using asBob = await openTeam('crew', { root: on.root, as: 'bob', environment: {} });
    await using crew = await openTeam('crew', { root: on.root, environment: {} });
    const code = (sent: Promise<unknown>): Promise<string | undefined> => sent.then(() => undefined, codeOf);
    expect(await code(asBob.answer(id, 'x'))).toBe('POLICY_DENIED');
    expect(await code(crew.answer('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'x'))).toBe('UNKNOWN_REQUEST');
    expect(await code(crew.send('bob', 'x', { request_id: id }))).toBe('POLICY_DENIED');
    expect(await code(crew.send('ada', 'Postgres.', { reply_to: id }))).toBeUndefined();
    expect(await code(crew.answer(id, 'x'))).toBe('FINAL');
    await done(on);
    expect(said(on)).toBe(1);
  });
});
