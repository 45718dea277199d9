import { expect, it } from 'vitest';
import { DeniedCalls } from '../../../src/policy/view/denied-calls.ts';

const at = '2026-01-01T00:00:00.000Z';

it('the report names each reason for which calls of a member were refused, once', () => {
  const calls = new DeniedCalls();
  for (const text of ['Bash is denied: this member is read-only.', 'Bash is denied: this member is read-only.'])
    calls.add({ type: 'agent.denied', at, member: 'ada', text });
  calls.add({ type: 'agent.acted', at, member: 'ada', text: 'Bash: ls' });
  expect(calls.notes).toEqual(['ada: Bash is denied: this member is read-only. (2 times)']);
  for (let n = 0; n < 7; n += 1) calls.add({ type: 'agent.denied', at, member: 'bob', text: `${n}` });
  expect(calls.notes).toHaveLength(6);
  expect(calls.notes.at(-1)).toBe('3 more reasons for which tool calls were refused are in `teams log`.');
});
