/** Texts for people keep the specified wording, to the letter (docs/specification.md R2.10). */
import { expect, it } from 'vitest';
import * as wording from '../../src/policy/mail-wording.ts';
import { name } from './world.ts';

it.each([
  [wording.statusCheck('3'), 'STATUS CHECK: Report progress on task #3.'],
  [wording.unblocked('2', { id: '1', status: 'completed' }), 'UNBLOCKED: Task #2 is now ready. Blocker #1 completed.'],
  [wording.taskFailed('3', 'no such table'), 'FAILED task #3: no such table'],
  [wording.taskCompleted('1', 'fixed 3 errors'), 'Completed task #1: fixed 3 errors'],
  [wording.standingBy(), 'All assigned tasks complete. Standing by.'],
  [wording.assignment({ id: '5', subject: 'Fix it' }), 'New assignment: task #5 - Fix it'],
  [
    wording.reassignment({ id: '5', subject: 'Fix it' }, name('worker-1'), 'quarantined'),
    'NEW ASSIGNMENT: Task #5 is now assigned to you (was worker-1, quarantined). Subject: Fix it.',
  ],
  [wording.shutdown(), 'SHUTDOWN: All work complete. Finish current operation and stop.'],
  [wording.shutdown(wording.SHUTDOWN_CANCELLED), 'SHUTDOWN: Team cancelled by user.'],
  [
    wording.shutdownAck(name('worker-1'), 3, 0),
    'SHUTDOWN ACK: worker-1 stopping. Final status: 3 tasks completed, 0 in progress.',
  ],
  [
    wording.shutdownAck(name('ada'), 1, 1),
    'SHUTDOWN ACK: ada stopping. Final status: 1 task completed, 1 in progress.',
  ],
  [
    wording.teamCancelled(name('alpha'), 2, 1, 3),
    'Team alpha cancelled. 2 workers stopped. 1/3 tasks were completed before cancellation.',
  ],
  [wording.teamForceCancelled(name('alpha')), 'Team alpha force-cancelled.'],
])('the mail text is %s', (text, expected) => {
  expect(text).toBe(expected);
});

it.each([
  [0, '0 ms'],
  [-5, '0 ms'],
  [999, '999 ms'],
  [45_000, '45s'],
  [90_999, '1m30s'],
  [55 * 60_000 + 5_000, '55m05s'],
  [7_500_000, '2h05m'],
])('%i ms is written as %s', (ms, text) => {
  expect(wording.duration(ms)).toBe(text);
});
