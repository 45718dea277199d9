/** Layer 3 of docs/reliability.md: random commands on the real store and on a plain model, which must agree. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { realDisk } from '../../src/store/files/disk.ts';
import { BOARD_COMMANDS, command } from '../support/models/board-commands.ts';
import { BoardPair } from '../support/models/board-pair.ts';
import { ModelledInbox } from '../support/models/inbox.ts';
import { figure } from '../support/figures.ts';
import { allowGuards } from '../support/leftovers.ts';
import { boardOf, name, teamAt } from '../support/team.ts';
import { SIZES, TIMEOUT_MS } from '../support/sizes.ts';
import { tempDir } from '../support/temp.ts';

const picks = fc.uniqueArray(fc.nat({ max: 12 }), { maxLength: 8 });

const MAIL = [
  fc
    .tuple(fc.nat({ max: 1 }), fc.integer({ min: 1, max: 5 }))
    .map(([by, times]) => command<ModelledInbox>(`send ${times} by ${by}`, (inbox) => inbox.send(by, times))),
  fc.constant(command<ModelledInbox>('shut down', (inbox) => inbox.shutDown())),
  fc.boolean().map((isTorn) => command<ModelledInbox>(`foreign ${isTorn}`, (inbox) => inbox.foreign(isTorn))),
  fc.boolean().map((is) => command<ModelledInbox>(`member ${is}`, (inbox) => inbox.membership(is))),
  fc.integer({ min: 1, max: 9 }).map((max) => command<ModelledInbox>(`take ${max}`, (inbox) => inbox.take(max))),
  picks.map((at) => command<ModelledInbox>(`acknowledge ${at.join()}`, (inbox) => inbox.acknowledge(at))),
  fc
    .tuple(fc.nat({ max: 40 }), fc.constantFrom('take', 'acknowledge'), picks)
    .map(([at, during, of]) =>
      command<ModelledInbox>(`crash at ${at} in ${during} ${of.join()}`, (inbox) => inbox.crash(at, during, of)),
    ),
  fc.constant(command<ModelledInbox>('replace', (inbox) => inbox.replace())),
  fc.constant(command<ModelledInbox>('tidy', (inbox) => inbox.tidy())),
];

it(
  'an inbox loses, doubles, reorders and invents nothing, for any commands and any deaths',
  { timeout: TIMEOUT_MS },
  async () => {
    allowGuards();
    const run = async (commands: Iterable<fc.AsyncCommand<object, ModelledInbox>>): Promise<void> => {
      const inbox = new ModelledInbox(teamAt(tempDir()), name('ada'));
      try {
        await fc.asyncModelRun(() => ({ model: {}, real: inbox }), commands);
        await inbox.finish();
      } finally {
        inbox.close();
      }
    };
    const all = fc.asyncProperty(fc.commands(MAIL, { size: '+1' }), run);
    await fc.assert(all, { numRuns: SIZES.modelRuns });
    figure({ area: 'model-based: inbox', count: SIZES.modelRuns, violations: 0 });
  },
);

it('a board equals the plain model, for two processes and for every new fold', { timeout: TIMEOUT_MS }, async () => {
  const run = async (commands: Iterable<fc.AsyncCommand<object, BoardPair>>): Promise<void> => {
    const paths = teamAt(tempDir());
    const pair = await BoardPair.on({ paths, isBegun: false });
    try {
      await fc.asyncModelRun(() => ({ model: {}, real: pair }), commands);
      const again = boardOf(paths, { disk: realDisk });
      expect(again.fold().tasks.size).toBe(pair.plain.tasks.size);
      again.close();
      for (const one of [0, 1]) await pair.reopen(one);
    } finally {
      pair.close();
    }
  };
  const all = fc.asyncProperty(fc.commands(BOARD_COMMANDS, { size: '+1' }), run);
  await fc.assert(all, { numRuns: SIZES.modelRuns });
  figure({ area: 'model-based: board', count: SIZES.modelRuns, violations: 0 });
});
