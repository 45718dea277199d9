import { expect, it } from 'vitest';
import { configureMember } from '../../../src/runtime/lead/configure-member.ts';
import { team } from '../../support/session.ts';

it('a member that is started again keeps the agent and the sandbox that it had', async () => {
  const on = await team({
    members: [{ name: 'ada', agent: { kind: 'exec', command: ['true'] }, sandbox: 'read-only' }],
  });
  await configureMember(on.handle, 'ada', { planApproval: true });
  expect(on.handle.store.config.read()?.members).toMatchObject([
    { agent: { kind: 'exec', command: ['true'] }, sandbox: 'read-only', plan_approval: true },
  ]);
});

it('a changed sandbox or agent leaves who wrote before among the writers', async () => {
  const on = await team({ members: [{ name: 'ada', agent: { kind: 'claude' } }] });
  await configureMember(on.handle, 'ada', { sandbox: 'full' });
  await configureMember(on.handle, 'ada', { agent: { kind: 'exec' } });
  expect(on.handle.store.config.readOwn()).toMatchObject({
    members: [{ agent: { kind: 'exec' }, sandbox: 'full' }],
    writers: [{ agent: { kind: 'claude' } }],
  });
});
