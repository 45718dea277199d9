/** What a lead knows of the time before it, besides the board. */
import { expect, it } from 'vitest';
import { advance } from '../../../src/model/board/advance.ts';
import { emptyBoard } from '../../../src/model/board/board.ts';
import { emptyPast, pastOf, remember, type BoardPast } from '../../../src/model/past/board-past.ts';
import { ada, AT, bob, byLead, completed, openWorld, type World } from '../world.ts';

/** @param times of events, by their place from the end: the last one is 0 */
function pastIn({ events }: World, times: readonly string[] = []): BoardPast {
  const [board, past] = [emptyBoard(), emptyPast()];
  for (const [at, event] of events.entries()) {
    const told = { ...event, at: times[events.length - 1 - at] ?? event.at };
    const outcome = advance(board, told);
    if (outcome.ok) remember(past, board, told, outcome, at);
  }
  return past;
}

it('counts each task once for each member that ever had it', () => {
  const world = openWorld();
  const id = world.add({ owner: ada });
  world.claim(id, ada);
  world.say(byLead(), { type: 'task.released', task: id, epoch: 1, reason: 'fenced', why: 'silent' });
  for (const owner of [bob, ada, bob]) world.say(byLead(), { type: 'task.assigned', task: id, owner });
  const past = pastIn(world);
  expect([pastOf(past, ada).given, pastOf(past, bob).given]).toEqual([1, 1]);
  expect(past.given.get(id)).toEqual([ada, bob]);
});

it('keeps the first start, the work done, failures in a row, and the time under a claim that ended', () => {
  const world = openWorld();
  const [one, two] = [world.add(), world.add()];
  world.claim(one);
  world.complete(one);
  world.claim(two);
  world.fail(two);
  const past = pastIn(world, ['2026-01-02T03:04:11.000Z', '2026-01-02T03:04:09.000Z']);
  expect(pastOf(past, ada)).toEqual({ spawnedAt: AT, given: 2, completed: 1, failures: 1, workedMs: 2_000 });
  expect(past.held.size).toBe(0);
});

it('keeps a claim that is held, and who was unblocked and not heard of since', () => {
  const world = openWorld();
  const first = world.add();
  const [waiting, moved] = [
    world.add({ owner: bob, blockedBy: [first] }),
    world.add({ owner: bob, blockedBy: [first] }),
  ];
  world.claim(first);
  world.say({ by: ada, inc: world.board.members.get(ada)?.incarnation ?? '' }, completed(first, 1));
  world.say(byLead(), { type: 'task.assigned', task: moved, owner: ada });
  world.claim(moved);
  const past = pastIn(world);
  expect([...past.unblocked.values()].map(({ task, owner, blocker }) => [task, owner, blocker])).toEqual([
    [waiting, bob, first],
  ]);
  expect([...past.held].map(([task, { member, epoch }]) => [task, member, epoch])).toEqual([[moved, ada, 1]]);
});
