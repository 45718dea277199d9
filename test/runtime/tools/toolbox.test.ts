/** The tools over a team on disk: their answers, and that every refusal is an answer. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ToolContext } from '../../../src/runtime/tools/tool-context.ts';
import { memberToolContext } from '../../../src/runtime/tools/member-tool-context.ts';
import { makeTeam, openHandle, type TeamHandle } from '../../../src/runtime/team/team-handle.ts';
import { toolsOf, useTool } from '../../../src/runtime/tools/toolbox.ts';
import { tempDir } from '../../support/temp.ts';

let lead: TeamHandle;
let ada: TeamHandle;
let context: ToolContext;

const call = { signal: new AbortController().signal, progress: () => {} };
const use = (tool: string, input: unknown = {}, at = context) => useTool(at, tool, input, call);
/** The answer of a call that must succeed. */
async function said(tool: string, input: unknown = {}, at = context): Promise<string> {
  const answer = await use(tool, input, at);
  if (!answer.ok) throw new Error(answer.why);
  return answer.text;
}
/** Why a call was refused. */
async function refused(tool: string, input: unknown = {}, at = context): Promise<string> {
  const answer = await use(tool, input, at);
  if (answer.ok) throw new Error(`not refused: ${answer.text}`);
  return answer.why;
}

beforeEach(() => {
  const root = tempDir();
  vi.stubEnv('XDG_STATE_HOME', `${root}/state`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const open = { root, environment: {} };
  lead = makeTeam('login', { members: [{ name: 'ada' }, { name: 'bob' }] }, open);
  ada = openHandle('login', { ...open, as: 'ada' });
  context = memberToolContext(ada);
});
afterEach(async () => {
  await ada[Symbol.asyncDispose]();
  await lead[Symbol.asyncDispose]();
});

describe('a call', () => {
  test('a call of an unknown tool, of another side’s tool, or without a required value is refused with code and sentence', async () => {
    expect(await refused('bash', { command: 'ls' })).toMatch(/^USAGE: There is no tool bash; there are: SendMessage/);
    expect(await refused('TeamDelete', { name: 'login' })).toMatch(/^POLICY_DENIED: TeamDelete is for the lead only/);
    expect(await refused('TaskGet', {})).toBe('USAGE: "taskId" is missing.');
    expect(await refused('TaskGet', { taskId: '9' })).toMatch(/^UNKNOWN_TASK: /);
    expect(await refused('SendMessage', { recipient: 'zoe', content: 'x' })).toMatch(/^UNKNOWN_RECIPIENT: /);
    expect(await refused('SendMessage', { content: 'x' })).toMatch(/^USAGE: Give a recipient/);
    expect(await refused('SendMessage', { recipient: 'bob', content: 'x', team_name: 'other' })).toMatch(
      /^UNKNOWN_TEAM: /,
    );
  });

  test('a lead-only tool is refused to a person as the lead without a process', async () => {
    expect(await refused('TeamCreate', { name: 'new' }, memberToolContext(lead))).toMatch(
      /^POLICY_DENIED: This process/,
    );
  });

  test('each side is offered its own tools', () => {
    expect(toolsOf({ side: 'teammate' })).not.toContain('Task');
    expect(toolsOf({ side: 'lead' })).toContain('Task');
  });
});

describe('the board', () => {
  test('the board is created, read and filtered', async () => {
    await said('TaskCreate', { subject: 'One', description: 'x', owner: 'ada' });
    await said('TaskCreate', { subject: 'Two', description: 'y', owner: 'bob', blockedBy: ['One'], files: ['a.ts'] });
    expect(await said('TaskList')).toBe('#1 [pending] One (owner ada)\n#2 [pending] Two (owner bob; waits for #1)');
    expect(await said('TaskList', { owner: 'bob' })).toMatch(/^#2/);
    expect(await said('TaskList', { status: 'completed' })).toBe('There are no such tasks.');
    expect(await said('TaskGet', { taskId: 'Two' })).toContain('"a.ts"');
    expect(await refused('TaskCreate', { subject: 'Three', description: 'z', blockedBy: ['Nine'] })).toMatch(
      /^(UNKNOWN_TASK|BAD_REFERENCE): /,
    );
  });

  test('a claim is refused while a blocker is open, and an update without a change says so', async () => {
    await said('TaskCreate', { subject: 'One', description: 'x' });
    await said('TaskCreate', { subject: 'Two', description: 'y', blockedBy: ['1'] });
    expect(await refused('TaskUpdate', { taskId: '2', status: 'in_progress' })).toMatch(/^NOT_READY: /);
    expect(await refused('TaskUpdate', { taskId: '2' })).toMatch(/^USAGE: Nothing is to change/);
    const asLead = memberToolContext(lead);
    await said('TaskUpdate', { taskId: '2', removeBlockedBy: ['1'], owner: 'bob' }, asLead);
    expect(await said('TaskUpdate', { taskId: '2', addBlockedBy: ['1'], owner: 'nobody' }, asLead)).toContain(
      'waits for #1',
    );
    expect(await refused('TaskUpdate', { taskId: '1', addBlockedBy: ['2'] }, asLead)).toMatch(/^CYCLE: /);
  });

  test('the lead skips a task, and what waits for it can go on; a member may not', async () => {
    await lead.board.add({ subject: 'Blocker', owner: 'ada' });
    await lead.board.add({ subject: 'After', blockedBy: ['1'] });
    const skip = { taskId: '1', status: 'skipped', result: 'not needed' };
    expect(await refused('TaskUpdate', skip)).toMatch(/^POLICY_DENIED: /);
    expect(await said('TaskUpdate', skip, memberToolContext(lead))).toContain('[skipped]');
    expect(lead.board.get('1')).toMatchObject({ status: 'skipped', reason: 'not needed' });
    expect(await said('TaskUpdate', { taskId: '2', status: 'in_progress' })).toContain('[in_progress]');
  });

  test('a reported completion is verified, and the answer is the verdict', async () => {
    await lead.board.add({ subject: 'Proved', owner: 'ada', work: { verify: ['echo looked; test -e proof'] } });
    await said('TaskUpdate', { taskId: '1', status: 'in_progress' });
    const done = { taskId: '1', status: 'completed', result: 'it is done' };
    expect(await said('TaskUpdate', done)).toMatch(
      /^Task #1 is not done: echo looked; test -e proof: exit 1[^]*looked/,
    );
    expect(ada.board.get('1').status).toBe('in_progress');
    expect(await said('TaskUpdate', { taskId: '1', status: 'failed', result: 'no proof' })).toContain('[failed]');
    expect(await said('TaskUpdate', { taskId: '1', status: 'pending' }, memberToolContext(lead))).toContain(
      '[pending]',
    );
    expect(await said('TaskUpdate', { taskId: '1', status: 'cancelled' }, memberToolContext(lead))).toContain(
      '[cancelled]',
    );
  });
});

describe("the user's hook", () => {
  test("the user's hook judges a reported completion, and its words are the answer", async () => {
    vi.stubEnv('TEAMS_HOOKS_ON_TASK_COMPLETED', 'echo never; exit 2');
    await lead.board.add({ subject: 'Judged', owner: 'ada' });
    await said('TaskUpdate', { taskId: '1', status: 'in_progress' });
    const answer = await said('TaskUpdate', { taskId: '1', status: 'completed', result: 'done' });
    expect(answer).toBe('Task #1 is not done: onTaskCompleted: the hook refuses it\nnever');
    expect(ada.board.get('1').status).toBe('in_progress');
  });
});

describe('mail', () => {
  test('mail is announced by every other tool, delivered once, and bounded', async () => {
    for (const letter of ['a', 'b', 'c']) await lead.send('ada', letter.repeat(20_000));
    expect(await said('TaskList')).toMatch(/You have 3 unread messages; call CheckInbox\.$/);
    expect(await refused('TaskGet', { taskId: '1' })).toMatch(/call CheckInbox\.$/);
    const first = await said('CheckInbox');
    expect([first.includes('aaa'), first.includes('bbb'), first.includes('ccc')]).toEqual([true, true, false]);
    expect(await said('CheckInbox')).toContain('ccc');
    expect(await said('CheckInbox')).toBe('No unread messages.');
    expect(await said('TaskList')).not.toContain('CheckInbox');
  });

  test('mail to all has a receipt for each recipient', async () => {
    expect(await said('SendMessage', { type: 'broadcast', content: 'hi' })).toMatch(
      /^sent to lead, id .*\nsent to bob, id /,
    );
  });

  test('mail that answers a request says yes or no, and names the request', async () => {
    const answer = { recipient: 'ada', content: 'go', type: 'plan_approval_response' };
    const asLead = memberToolContext(lead);
    expect(await refused('SendMessage', answer, asLead)).toMatch(/approve: true or false/);
    expect(await refused('SendMessage', { ...answer, approve: true }, asLead)).toMatch(/needs the request_id/);
    expect(await refused('SendMessage', { ...answer, approve: true, request_id: 'r1' }, asLead)).toMatch(
      /^UNKNOWN_REQUEST: /,
    );
    await lead.board.add({ subject: 'Planned', owner: 'ada' });
    await said('TaskUpdate', { taskId: '1', status: 'in_progress' });
    await said('SendMessage', { recipient: 'lead', kind: 'plan_approval_request', content: 'I shall …' });
    const [request_id] = lead.store.board.fold().open.keys();
    await said('SendMessage', { ...answer, approve: true, request_id }, asLead);
    expect(await said('CheckInbox')).toMatch(/type "plan_approval_response".*request_id "01/);
    expect(await refused('SendMessage', { ...answer, recipient: 'bob', approve: true, request_id: 'r1' })).toMatch(
      /^POLICY_DENIED: /,
    );
  });
});

test('TaskUpdate makes all of its changes or none', async () => {
  const leads = memberToolContext(lead);
  for (const subject of ['One', 'Two', 'Three']) await said('TaskCreate', { subject, description: 'x' });
  const before = () => lead.board.list().map(({ id, owner, status, blockedBy }) => ({ id, owner, status, blockedBy }));
  const was = before();
  // The last of each is illegal: a cycle, an unknown member, a claim of a blocked task.
  await said('TaskUpdate', { taskId: '2', addBlockedBy: ['1'] }, leads);
  const refusals = [
    { taskId: '1', owner: 'bob', addBlockedBy: ['3', '2'] },
    { taskId: '3', addBlockedBy: ['1'], owner: 'zoe' },
    { taskId: '3', addBlockedBy: ['1'], status: 'in_progress' },
    { taskId: '3', owner: 'ada', addBlockedBy: ['1'], status: 'pending' },
  ];
  const codes: string[] = [];
  for (const input of refusals) codes.push((await refused('TaskUpdate', input, leads)).split(':')[0] ?? '');
  expect(codes).toEqual(['CYCLE', 'UNKNOWN_MEMBER', 'NOT_READY', 'STALE_CLAIM']);
  expect(before()).toEqual(was.map((task) => (task.id === '2' ? { ...task, blockedBy: ['1'] } : task)));
  await said('TaskUpdate', { taskId: '3', addBlockedBy: [], owner: 'lead', status: 'in_progress' }, leads);
  expect(lead.board.get('3')).toMatchObject({ owner: 'lead', status: 'in_progress', claim: { member: 'lead' } });
});

test('a question in an unattended loop is refused with the alternative, and blocks nothing', async () => {
  const open = { root: lead.store.paths.root, environment: {} };
  const relay = makeTeam('relay-team', { profile: 'relay', members: [{ name: 'cy' }] }, open);
  const cy = openHandle('relay-team', { ...open, as: 'cy' });
  const asks = { recipient: 'lead', content: 'May I?', kind: 'question' };
  expect(await refused('SendMessage', asks, memberToolContext(cy))).toMatch(
    /^POLICY_DENIED: .*no one answers questions \(rule: questions\); decide by yourself/,
  );
  expect(relay.store.board.fold().open.size).toBe(0);
  await cy[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
});
