/** The rules of role isolation (docs/specification.md R10.17): which messages, tasks and claims a role may make. */
import { describe, expect, it } from 'vitest';
import { claimRefusal } from '../../src/model/board/board.ts';
import { advance } from '../../src/model/board/advance.ts';
import { newTaskSchema, type NewTaskInput } from '../../src/model/board/task.ts';
import { mayMessage } from '../../src/policy/profiles.ts';
import { mayCall } from '../../src/policy/sandbox/tool-rules.ts';
import { name, world } from './world.ts';

const roles = () =>
  world({
    profile: 'pipeline',
    claim: 'prefix',
    members: ['dev:developer:DEV', 'fe:fe-developer:DEV-FE', 'qa:fe-qa:QA-FE'],
    tasks: [
      { subject: 'DEV-FE-001 Build', role: 'fe-developer' },
      { subject: 'QA-FE-001 Check', owner: 'qa' },
    ],
  });

const claim = (member: string, task: string): string | undefined => {
  const { board } = roles();
  const found = board.tasks.get(task);
  return found && claimRefusal(board, found, board.members.get(name(member)), name(member))?.why;
};

const creates = (member: string, fields: NewTaskInput): string => {
  const { board } = roles();
  const by = { by: name(member), inc: board.members.get(name(member))?.incarnation ?? '' };
  const event = { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', v: 1, at: '2026-01-02T03:04:05.678Z', author: by } as const;
  const task = String(board.lastTaskId + 1);
  const outcome = advance(board, { ...event, type: 'task.created', task, fields: newTaskSchema.parse(fields) });
  return outcome.ok ? 'made' : outcome.why;
};

describe('a role', () => {
  it('a role claims the tasks of its own prefix, and the longest prefix wins', () => {
    expect(claim('fe', '1')).toBeUndefined();
    expect(claim('qa', '2')).toBeUndefined();
    expect(claim('dev', '1')).toMatch(/role fe-developer|another role's prefix/);
    expect(claim('fe', '2')).toBe('task #2 is assigned to qa');
  });

  it('a role writes to its lead and to no other member', () => {
    expect(mayMessage('pipeline', 'message', 'fe', 'coordinator')).toBeUndefined();
    expect(mayMessage('pipeline', 'message', 'fe', 'qa')?.why).toContain('(rule: peer messages)');
    expect(mayMessage('pipeline', 'broadcast', 'fe', 'qa')?.why).toContain('(rule: broadcast)');
  });

  it('a role creates tasks for itself only', () => {
    expect(creates('fe', { subject: 'DEV-FE-002 More' })).toBe('made');
    expect(creates('fe', { subject: 'QA-FE-002 More' })).toBe('fe may not create tasks for other roles');
    expect(creates('fe', { subject: 'Anything', owner: name('qa') })).toBe('fe may not create tasks for other roles');
    expect(creates('fe', { subject: 'Anything' })).toBe('fe may not create tasks for other roles');
  });

  it('a role owns no task whose prefix it does not declare', () => {
    const the = roles();
    const fields = newTaskSchema.parse({ subject: 'QA-FE-002 Check', owner: name('fe') });
    const outcome = the.tell({ type: 'task.created', task: '3', fields });
    expect(outcome).toMatchObject({ ok: false, why: "fe's role does not declare the prefix of QA-FE-002" });
    expect(the.tell({ type: 'task.assigned', task: '2', owner: name('dev') })).toMatchObject({ ok: false });
  });

  it('a role starts no other worker', () => {
    expect(mayCall('teammate', 'Task')?.why).toContain('(rule: lead-only tool)');
  });
});
