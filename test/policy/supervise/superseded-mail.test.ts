import { expect, it } from 'vitest';
import type { Message } from '../../../src/model/team/message.ts';
import { superseded } from '../../../src/policy/supervise/superseded-mail.ts';

const mail = (id: string, sender: string, kind?: string): Message => ({
  type: 'message',
  sender,
  content: 'Standing by.',
  timestamp: 1,
  id,
  kind,
});

it('only the latest idle notice of each member is kept, and every other message', () => {
  const all = [
    mail('1', 'ada', 'idle'),
    mail('2', 'bob', 'idle'),
    mail('3', 'ada'),
    mail('4', 'ada', 'idle'),
    mail('5', 'ada', 'task_completed'),
    mail('6', 'ada', 'idle'),
  ];
  expect([...superseded(all)]).toEqual(['1', '4']);
  expect(superseded([])).toEqual(new Set());
});
