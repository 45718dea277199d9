/** Random commands on a board of two processes and on its plain model (`BoardPair`). */
import fc from 'fast-check';
import type { BoardPair } from './board-pair.ts';

/** A command without state: its action, and its name in a failure. */
export const command = <Real extends object>(
  what: string,
  act: (real: Real) => unknown,
): fc.AsyncCommand<object, Real> => ({
  check: () => true,
  run: async (_, real) => {
    await act(real);
  },
  toString: () => what,
});

const small = fc.nat({ max: 7 });
const by = fc.nat({ max: 1 });
/** Mostly 0: the current incarnation. */
const old = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 2 }) });

/** Everything that may happen to a board of two processes; made by chance, in any order. */
export const BOARD_COMMANDS = [
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
