/** The lead judges finished work once. Then the dependants go on, or wait for a revision. */
import { describe, expect, it } from 'vitest';
import { isReady } from '../../../src/model/board/board.ts';
import { codeOf } from '../../../src/model/text/errors.ts';
import { judgeTask, reviseTask } from '../../../src/runtime/lead/task-judgement.ts';
import { TeamHandle } from '../../../src/runtime/team/team-handle.ts';
import { subjectCode } from '../../../src/model/board/task.ts';
import { ToldTeam } from '../../support/told-team.ts';

const Q = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

/** ada has completed RESEARCH-001 without consensus. */
function unsettled(): { team: ToldTeam; as: (name: string) => TeamHandle } {
  const team = new ToldTeam({ ada: 'analyst/claude' })
    .led()
    .started('ada')
    .add('RESEARCH-001 Look', { owner: 'ada' })
    .add('DRAFT-001 Write', { blockedBy: ['1'] })
    .claim('1', 'ada')
    .as('ada', { type: 'request.made', request: Q, kind: 'consensus', about: '1', text: 'Divergences: all' })
    .complete('1', 'ada');
  return { team, as: (name) => TeamHandle.on(team.store, { as: name, environment: {} }) };
}

const ready = ({ store }: ToldTeam): string[] => {
  const board = store.board.fold();
  return [...board.tasks.values()]
    .filter((task) => isReady(board, task))
    .map(({ subject }) => subjectCode(subject) ?? '');
};

describe('work without consensus', () => {
  it('work without consensus is held until the lead approves it, once', async () => {
    const { team, as } = unsettled();
    expect(ready(team)).toEqual([]);
    await judgeTask(as('lead'), 'RESEARCH-001', { approve: true, text: 'Good enough.' });
    expect(ready(team)).toEqual(['DRAFT-001']);
    const again = judgeTask(as('lead'), '1', { approve: true, text: '' });
    expect(await again.then(() => undefined, codeOf)).toBe('FINAL');
  });

  it('work without consensus is done again if the lead says so; the answer and the new tasks are one record', async () => {
    const { team, as } = unsettled();
    const created = await reviseTask(as('lead'), '1', 'Ask the users.');
    expect(created).toMatchObject({ id: '3', subject: 'RESEARCH-001-R1 Look', owner: 'ada' });
    expect(ready(team)).toEqual(['RESEARCH-001-R1']);
    expect(team.store.board.board.requests.get(Q)).toMatchObject({ state: 'answered', approve: false });
    const last = [...team.store.board.log.history()].at(-1);
    expect(last?.event).toMatchObject({ type: 'batch' });
  });

  it.each([
    [
      'approved by a member',
      'ada',
      'POLICY_DENIED',
      (handle: TeamHandle) => judgeTask(handle, '1', { approve: true, text: '' }),
    ],
    ['revised by a member', 'ada', 'POLICY_DENIED', (handle: TeamHandle) => reviseTask(handle, '1', '')],
    [
      'rejected as if it were a plan',
      'lead',
      'USAGE',
      (handle: TeamHandle) => judgeTask(handle, '1', { approve: false, text: '' }),
    ],
    ['answered like a question', 'lead', 'USAGE', (handle: TeamHandle) => handle.answer(Q, 'Yes.')],
    ['revised before it is done', 'lead', 'NOT_READY', (handle: TeamHandle) => reviseTask(handle, '2', '')],
  ])('work without consensus cannot be %s', async (_, who, code, deed) => {
    const { team, as } = unsettled();
    expect(await deed(as(who)).then(() => undefined, codeOf)).toBe(code);
    expect(team.store.board.fold().open.size).toBe(1);
  });
});
