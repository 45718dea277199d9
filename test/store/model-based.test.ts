/** Layer 3 of docs/reliability.md: random commands on the real store and on a plain model, which must agree. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { realDisk } from '../../src/store/files/disk.ts';
import { BoardPair } from '../support/models/board-pair.ts';
import { ModelledInbox } from '../support/models/inbox.ts';
import { figure } from '../support/figures.ts';
import { allowGuards } from '../support/leftovers.ts';
import { boardOf, name, teamAt } from '../support/team.ts';
import { SIZES, TIMEOUT_MS } from '../support/sizes.ts';
import { tempDir } from '../support/temp.ts';

/** A command without state: its action, and its name in a failure. */
const command = <Real extends object>(what: string, act: (real: Real) => unknown): fc.AsyncCommand<object, Real> => ({
  check: () => true,
  run: async (_, real) => {
    await act(real);
  },
  toString: () => what,
});

const small = fc.nat({ max: 7 });
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

const by = fc.nat({ max: 1 });
/** Mostly 0: the current incarnation. */
const old = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 2 }) });

const BOARD = [
  fc
    .tuple(by, fc.array(small, { maxLength: 2 }), fc.nat({ max: 2 }))
    .map(([one, blockers, retries]) =>
      command<BoardPair>(`create ${blockers.join()} ${retries}`, (pair) => pair.create(one, blockers, retries)),
    ),
  ...[1, 2].map(() =>
    fc
      .tuple(by, small, small, old)
      .map(([one, at, who, back]) =>
        command<BoardPair>(`claim ${at} by ${who}-${back}`, (pair) => pair.claim(one, at, who, back)),
      ),
  ),
  ...[1, 2].map(() =>
    fc
      .tuple(by, small, fc.constantFrom('completed', 'failed', 'released'), small, old, old)
      .map(([one, at, how, who, back, late]) =>
        command<BoardPair>(`${how} ${at} by ${who}-${back}, ${late} late`, (pair) =>
          pair.end(one, at, how, who, back, late),
        ),
      ),
  ),
  fc
    .tuple(by, small, fc.constantFrom('retried', 'skipped'), old)
    .map(([one, at, what, back]) =>
      command<BoardPair>(`${what} ${at} by lead-${back}`, (pair) => pair.decide(one, at, what, back)),
    ),
  fc.tuple(by, fc.nat({ max: 2 })).map(([one, n]) => command<BoardPair>(`lead +${n}`, (pair) => pair.lead(one, n))),
  fc
    .tuple(by, small, fc.constantFrom('join', 'leave', 'restart', 'restart'))
    .map(([one, who, what]) => command<BoardPair>(`${what} ${who}`, (pair) => pair.member(one, who, what))),
  by.map((one) => command<BoardPair>(`reopen ${one}`, (pair) => pair.reopen(one))),
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
    const pair = new BoardPair(paths);
    try {
      await fc.asyncModelRun(() => ({ model: {}, real: pair }), commands);
      const again = boardOf(paths, { disk: realDisk });
      expect(again.fold().tasks.size).toBe(pair.plain.tasks.size);
      again.close();
      for (const one of [0, 1]) pair.reopen(one);
    } finally {
      pair.close();
    }
  };
  const all = fc.asyncProperty(fc.commands(BOARD, { size: '+1' }), run);
  await fc.assert(all, { numRuns: SIZES.modelRuns });
  figure({ area: 'model-based: board', count: SIZES.modelRuns, violations: 0 });
});
