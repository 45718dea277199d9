import { expect, test } from 'vitest';
import { changeSchema } from '../../../src/model/board/event.ts';
import { isOfBoard } from '../../../src/model/team/shown-event.ts';

test('an event of the board is each change that the log accepts', () => {
  for (const { shape } of changeSchema.options) expect(isOfBoard({ type: shape.type.value })).toBe(true);
  expect(isOfBoard({ type: 'agent.printed' })).toBe(false);
});
