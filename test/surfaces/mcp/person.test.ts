/** What waits for a person is asked by forms, where the host shows them, and otherwise by mail as before. */
import { beforeEach, describe, expect, test } from 'vitest';
import { LEAD } from '../../../src/model/text/names.ts';
import { newTaskSchema } from '../../../src/model/board/task.ts';
import { makeTeam, openHandle } from '../../../src/runtime/team/team-handle.ts';
import { PersonQuestions } from '../../../src/surfaces/mcp/person-questions.ts';
import { until, Workplace } from '../../support/cli.ts';
import { ERAS, Host, type Era, type Person } from '../../support/mcp-host.ts';

const asks = { tool: 'SendMessage', input: { recipient: 'lead', kind: 'question', content: 'Which colour?' } };
const AGENTS = {
  asker: {
    kind: 'scripted',
    options: {
      turns: [
        { match: 'Paint', calls: [asks], answers: 'I asked' },
        { answers: 'painted', repeat: true },
      ],
    },
  },
  planner: { kind: 'exec', command: 'echo planned' },
  stubborn: {
    kind: 'scripted',
    shutdown: 'ask',
    options: {
      turns: [
        { match: 'asks you to stop', answers: 'REJECT: not yet', repeat: true },
        { answers: 'done', repeat: true },
      ],
    },
  },
};

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put('home/config/teams/config.yaml', JSON.stringify({ agents: AGENTS }));
});

async function member(host: Host, agent: string, more: object = {}): Promise<void> {
  await host.say('TeamCreate', { name: 'login' });
  await host.say('Task', { prompt: 'begin', team_name: 'login', name: 'ada', agent, ...more });
}

const hasEnded = (host: Host, how: string) => async () => (await host.say('TaskList')).includes(`#1 [${how}]`);

/** A host whose person remembers what was asked. */
async function hostWith(era: Era, answers: Person): Promise<{ host: Host; asked: string[] }> {
  const asked: string[] = [];
  const host = await Host.withPerson(era, place, (message, signal) => {
    asked.push(message);
    return answers(message, signal);
  });
  return { host, asked };
}

/** In 2026-07-28 a server can ask only by the answer to a call. */
const asksInCall = async (host: Host, era: Era): Promise<void> => {
  if (era === '2026-07-28') await host.say('CheckInbox');
};

describe.each(ERAS)('a host of %s that shows forms', (era) => {
  test('a question of a member is answered by its form, once', async () => {
    const { host, asked } = await hostWith(era, () => ({ action: 'accept', content: { answer: 'red' } }));
    await using _host = host;
    await member(host, 'asker');
    await host.say('TaskCreate', { subject: 'Paint', description: 'x', owner: 'ada' });
    await until(async () => {
      await asksInCall(host, era);
      return hasEnded(host, 'completed')();
    }, 'the answer let the task go on');
    expect(asked).toEqual([expect.stringMatching(/^ada of team login \(task #1 Paint\) asks:\n\nWhich colour\?$/)]);
    const { out } = await place.teams('inbox', 'login', 'ada', '--history');
    expect(out).toContain('red');
    await host.say('TeamDelete', { name: 'login', force: true });
  });

  test.each([
    ['approved', { approve: true, note: 'go' }, 'completed'],
    ['refused', { approve: false, note: 'too short' }, 'failed'],
  ])('a plan is %s by its form', async (_, content, how) => {
    const { host, asked } = await hostWith(era, () => ({ action: 'accept', content }));
    await using _host = host;
    await member(host, 'planner', { plan_approval: true });
    await host.say('TaskCreate', { subject: 'Build', description: 'x', owner: 'ada' });
    await until(async () => {
      await asksInCall(host, era);
      return hasEnded(host, how)();
    }, `the task is ${how}`);
    expect(asked).toEqual([
      expect.stringMatching(/^ada of team login \(task #1 Build\) waits for the approval of this plan:/),
    ]);
    await host.say('TeamDelete', { name: 'login', force: true });
  });

  test('a form that is declined is not shown again, and the mail waits for its answer as before', async () => {
    const { host, asked } = await hostWith(era, () => ({ action: 'decline' }));
    await using _host = host;
    await member(host, 'asker');
    await host.say('TaskCreate', { subject: 'Paint', description: 'x', owner: 'ada' });
    let mail = '';
    await until(async () => {
      mail += await host.say('CheckInbox');
      return asked.length === 1 && mail.includes('Which colour?');
    }, 'the question is asked and came by mail');
    const request_id = /request_id "([^"]+)"/.exec(mail)?.[1];
    await host.say('SendMessage', { recipient: 'ada', content: 'blue', request_id });
    await until(hasEnded(host, 'completed'), 'the answer by mail let the task go on');
    await host.say('CheckInbox');
    expect(asked).toHaveLength(1);
    await host.say('TeamDelete', { name: 'login', force: true });
  });

  test('a person decides by a form whether members that refuse to stop are stopped', async () => {
    let force = false;
    const { host, asked } = await hostWith(era, () => ({ action: 'accept', content: { force } }));
    await using _host = host;
    await member(host, 'stubborn');
    const kept = await host.call('TeamDelete', { name: 'login' });
    expect(kept).toEqual({
      isError: true,
      text: 'STILL_RUNNING: The person did not agree to stop the members that refuse. The team goes on.',
    });
    expect(await host.say('TaskList')).toBeDefined();
    force = true;
    expect(await host.say('TeamDelete', { name: 'login' })).toContain('was put into the archive');
    expect(asked).toEqual([1, 2].map(() => expect.stringMatching(/ada refuses to stop \(not yet\)/) as unknown));
  });
});

describe.each(ERAS)('a host of %s that leads a team with a checkpoint', (era) => {
  test.each([
    ['goes on', { action: 'accept', content: { approve: true, note: 'go on' } }, 'completed'],
    ['stops', { action: 'accept', content: { approve: false } }, 'failed'],
  ] as const)('the person %s by a form, which is shown once', async (_, answer, status) => {
    const { host, asked } = await hostWith(era, () => ({ ...answer }));
    await using _host = host;
    await host.say('TeamCreate', { name: 'login' });
    await using team = openHandle('login', { root: place.root, environment: {} });
    const confirm = { subject: 'CHECKPOINT-001 Confirm', owner: LEAD, metadata: { _checkpoint: true } };
    await team.board.add(newTaskSchema.parse(confirm));
    await until(async () => {
      await asksInCall(host, era);
      return team.board.get('1').status === status;
    }, `the checkpoint is ${status}`);
    await asksInCall(host, era);
    expect(asked).toEqual([expect.stringMatching(/waits at checkpoint #1 CHECKPOINT-001 Confirm\. Shall it go on\?/)]);
    await host.say('TeamDelete', { name: 'login', force: true });
  });
});

test('a form whose question is answered elsewhere is taken back', async () => {
  let isTakenBack = false;
  const { host, asked } = await hostWith(
    '2025-11-25',
    (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          isTakenBack = true;
          resolve({ action: 'cancel' });
        });
      }),
  );
  await using _host = host;
  await member(host, 'asker');
  await host.say('TaskCreate', { subject: 'Paint', description: 'x', owner: 'ada' });
  await until(() => asked.length === 1, 'the person is asked');
  const request_id = /request_id "([^"]+)"/.exec(await host.mail(/Which colour/))?.[1];
  await host.say('SendMessage', { recipient: 'ada', content: 'blue', request_id });
  await until(() => isTakenBack, 'the form is taken back');
  await until(hasEnded(host, 'completed'), 'the answer by mail let the task go on');
  await host.say('TeamDelete', { name: 'login', force: true });
});

test.each(ERAS)('a host of %s without forms gets the refusal to stop as before', async (era) => {
  await using host = await Host.of(era, place);
  await member(host, 'stubborn');
  expect((await host.call('TeamDelete', { name: 'login' })).text).toMatch(/^STILL_RUNNING: .*ada refuses to stop/);
  await host.say('TeamDelete', { name: 'login', force: true });
});

test.each([
  [{ approve: true, note: 'go on' }, 'completed'],
  [{ approve: false }, 'failed'],
])('a checkpoint is answered by a form of %j', async (content, status) => {
  const confirm = { subject: 'CHECKPOINT-001 Confirm', owner: LEAD, metadata: { _checkpoint: true } };
  const fields = newTaskSchema.parse(confirm);
  const changes = [{ type: 'task.created' as const, task: '1', fields }];
  await using team = makeTeam('login', { changes }, { root: place.root, environment: {} });
  const questions = new PersonQuestions({ side: 'lead', team, mail: undefined });
  const [question, ...more] = questions.waiting();
  expect(more).toEqual([]);
  expect(question?.message).toMatch(/waits at checkpoint #1 CHECKPOINT-001 Confirm\. Shall it go on\?/);
  expect(await questions.take('checkpoint-1', { action: 'accept', content: { approve: 'perhaps' } })).toMatch(/^USAGE/);
  expect(await questions.take('checkpoint-1', { action: 'accept', content })).toBeUndefined();
  expect(team.board.get('1').status).toBe(status);
  expect(questions.waiting()).toEqual([]);
});
