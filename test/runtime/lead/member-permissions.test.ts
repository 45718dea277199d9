/** What a member may do to files, as another process of it sees it: from the config and the state of its plan. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { memberPermissions } from '../../../src/runtime/lead/member-permissions.ts';
import { answerPlan } from '../../../src/runtime/team/plan-approval.ts';
import { makeTeam, openHandle, type TeamHandle } from '../../../src/runtime/team/team-handle.ts';
import { tempDir } from '../../support/temp.ts';

function team(members: Parameters<typeof makeTeam>[1]['members']) {
  const root = tempDir();
  vi.stubEnv('XDG_STATE_HOME', `${root}/state`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const open = { root, environment: {} };
  const lead = makeTeam('login', { members: members ?? [] }, open);
  onTestFinished(() => lead[Symbol.asyncDispose]());
  const as = (name: string): TeamHandle => {
    const handle = openHandle('login', { ...open, as: name });
    onTestFinished(() => handle[Symbol.asyncDispose]());
    return handle;
  };
  return { lead, as };
}

test('permissions follow the sandbox of the member; a lead, or a member without a sandbox, may write in the workspace', () => {
  const { lead, as } = team([{ name: 'ada', sandbox: 'read-only' }, { name: 'bob' }]);
  expect(
    [memberPermissions(lead), memberPermissions(as('ada')), memberPermissions(as('bob'))].map(({ sandbox }) => sandbox),
  ).toEqual(['workspace-write', 'read-only', 'workspace-write']);
});

test('a person in the place of a member with plan approval may only read', () => {
  const { as } = team([{ name: 'ada', sandbox: 'full', planApproval: true }]);
  expect(memberPermissions(as('ada'))).toEqual({ sandbox: 'full', planPending: true });
});

test('a member may write for the task whose plan its runner got approved, and only for that task', async () => {
  const { lead, as } = team([{ name: 'ada', planApproval: true }]);
  const person = as('ada');
  const speaker = { kind: 'member', name: person.speaker.name, incarnation: 'x' } as const;
  const own = { store: person.store, speaker };
  expect(memberPermissions(own).planPending).toBe(true);
  await lead.board.add({ subject: 'One', owner: 'ada' });
  await person.board.claim('1');
  expect(memberPermissions(own).planPending).toBe(true);
  await person.send('lead', 'I shall …', { kind: 'plan_approval_request', task_id: '1' });
  expect(memberPermissions(own).planPending).toBe(true);
  await answerPlan(lead, '1', { approve: true, text: '' });
  expect(memberPermissions(own).planPending).toBe(false);
  await person.board.complete('1', { result: 'done' });
  expect(memberPermissions(own).planPending).toBe(true);
});
