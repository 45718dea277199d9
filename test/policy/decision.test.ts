/** Every decision of the lead in words: its subject and its reason, as `teams why` and the log show them. */
import { expect, it } from 'vitest';
import { decisionOf, decisionText } from '../../src/policy/decision.ts';
import type { Verdict } from '../../src/policy/sighting.ts';
import { followUp, name } from './world.ts';

const member = name('ada');
const [task, epoch, why] = ['3', 1, 'so'];

it.each<[Verdict, string]>([
  [{ do: 'resetDeadlines', why }, 'reset all deadlines: so'],
  [{ do: 'restart', member, attempt: 2, why }, 'restarted ada: so'],
  [{ do: 'abandon', member, why }, 'abandoned ada: so'],
  [{ do: 'resetRestarts', member, why }, 'reset the restart count of ada: so'],
  [{ do: 'release', reason: 'lost', member, task, epoch, why }, 'released task #3: so'],
  [{ do: 'check', member, task, why }, 'sent ada a status check for task #3: so'],
  [
    { do: 'fence', member, task, epoch, reason: 'fenced', heir: name('bob'), stop: true, why },
    'took task #3 from ada and gave it to bob: so',
  ],
  [{ do: 'fence', member, task, epoch, reason: 'fenced', stop: true, why }, 'took task #3 from ada: so'],
  [{ do: 'stop', member, why }, 'ended the process of ada: so'],
  [{ do: 'quarantine', member, why }, 'quarantined ada: so'],
  [{ do: 'assign', task, owner: name('bob'), why }, 'gave task #3 to bob: so'],
  [{ do: 'assign', task, owner: null, why }, 'left task #3 without an owner: so'],
  [{ do: 'skip', task, why }, 'skipped task #3 and the tasks that wait for it: so'],
  [
    { do: 'follow up', task, follow: followUp, place: { do: 'assign', owner: name('bob'), why }, why },
    'added the follow-up of task #3, for bob: so',
  ],
  [{ do: 'follow up', task, follow: followUp, place: { do: 'queue', why }, why }, 'added the follow-up of task #3: so'],
  [{ do: 'start', member, why }, 'started ada: so'],
  [{ do: 'tell', task, what: 'checkpoint.reached', why }, 'told a person about task #3: so'],
  [{ do: 'pass', task, why }, 'passed task #3: so'],
  [{ do: 'redo', task, why }, 'sent back what task #3 tested: so'],
  [{ do: 'stuck', why }, 'found that no task can continue: so'],
  [{ do: 'finish' }, 'found every task final'],
])('%j', (verdict, text) => {
  expect(decisionText(decisionOf(verdict, { members: [] }))).toBe(text);
});

it('a decision of an older version or a foreign writer is worded with the facts that it has', () => {
  expect(decisionText({})).toBe('decided something');
  expect(decisionText({ act: 'restart' })).toBe('restarted a member');
});
