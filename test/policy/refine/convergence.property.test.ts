/**
 * Invariants of the loop, for any outcome of every call: rounds never exceed the cap; clean-up runs once and before the
 * synthesis; the result is the best one seen; the synthesis has all five parts. The test covers all sequences of
 * outcomes where they can be enumerated, otherwise every reachable state, otherwise many random sequences.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Name } from '../../../src/model/text/names.ts';
import type { RelayOutcome, Review } from '../../../src/model/pipeline/round.ts';
import { advanceLoop, beginLoop } from '../../../src/policy/refine/convergence.ts';
import type { LoopCommand, Loop, LoopOutcome } from '../../../src/policy/refine/refine-loop.ts';
import { synthesise, type SynthesisFacts } from '../../../src/policy/refine/synthesis.ts';
import { synthesisText } from '../../../src/policy/refine/synthesis-text.ts';
import { backend, failing, finding, passing, settings } from '../rounds.ts';

const KINDS = ['success', 'issues', 'timeout', 'crash', '429', 'missing'] as const;
type Kind = (typeof KINDS)[number];
type Sequence = readonly (readonly Kind[])[];

const NAMES = [backend('codex'), backend('gemini')];

/** Later rounds have fewer issues. The second backend is better in even rounds, so that the best one changes. */
const issuesOf = (round: number, at: number): number => 6 - round + ((round + at) % 2);

function outcomeOf(kind: Kind, round: number, at: number): RelayOutcome {
  const failed = (why: Extract<RelayOutcome, { kind: 'failed' }>['why']): RelayOutcome => ({
    kind: 'failed',
    why,
    message: why,
  });
  switch (kind) {
    case 'success':
    case 'issues':
      return { kind: 'success', text: `${round}.${at}` };
    case 'timeout':
      return failed('timeout');
    case 'crash':
      return failed('crashed');
    case '429':
      return failed('rate_limited');
    case 'missing':
      return failed('not_installed');
  }
}

const reviewOf = (kind: Kind, round: number, at: number): Review =>
  kind === 'success' ? passing : failing(...Array.from({ length: issuesOf(round, at) }, () => finding('major')));

/** The outcome of a command, given the outcomes of each round. */
function answer(command: LoopCommand, kinds: (round: number) => readonly Kind[]): LoopOutcome {
  switch (command.do) {
    case 'relay': {
      const told = command.backends.map((name): [Name, RelayOutcome] => {
        const at = NAMES.indexOf(name);
        return [name, outcomeOf(kinds(command.round)[at] ?? 'crash', command.round, at)];
      });
      return { kind: 'relay', outcomes: new Map(told) };
    }
    case 'review': {
      const told = command.candidates.map(({ backend: name }): [Name, Review] => {
        const at = NAMES.indexOf(name);
        return [name, reviewOf(kinds(command.round)[at] ?? 'issues', command.round, at)];
      });
      return { kind: 'review', reviews: new Map(told) };
    }
    case 'wait':
      return { kind: 'wait' };
    case 'clean up':
      return { kind: 'clean up' };
    case 'synthesise':
    case 'nothing':
      return { kind: 'synthesise' };
  }
}

interface Played {
  readonly commands: readonly LoopCommand[];
  readonly loop: Loop;
}

function play(maxRounds: number, backends: number, inTurn: boolean, sequence: Sequence): Played {
  let loop = beginLoop(settings({ maxRounds, inTurn, backends: NAMES.slice(0, backends) }));
  const commands: LoopCommand[] = [];
  while (loop.command.do !== 'nothing') {
    commands.push(loop.command);
    if (commands.length > 4 * maxRounds + 2) throw new Error(`It never ends: ${JSON.stringify(sequence)}`);
    loop = advanceLoop(
      loop,
      answer(loop.command, (round) => sequence[round - 1] ?? []),
    );
  }
  return { commands, loop };
}

const FACTS: SynthesisFacts = {
  task: 'Fix it',
  backends: [],
  skipped: [],
  notes: [],
  sandbox: { sandbox: 'read-only', why: 'the task does not ask for changes of files' },
};

const PARTS = [/^Accomplished:\n {2}\S/m, /^Backends:/m, /^Rounds: \S/m, /^Convergence: \S/m, /^Sandbox: \S/m];

/** The best result of a sequence, and whether it converges, computed without the reducer. */
function expected(maxRounds: number, backends: number, inTurn: boolean, sequence: Sequence) {
  let best: { text: string; issues: number } | undefined;
  const lost = new Set<number>();
  for (let round = 1; round <= maxRounds && lost.size < backends; round += 1) {
    const kinds = sequence[round - 1] ?? [];
    const asked = NAMES.slice(0, backends).flatMap((_, at) =>
      lost.has(at) ? [] : [{ at, kind: kinds[at] ?? 'crash' }],
    );
    for (const { at, kind } of asked) if (kind === 'missing') lost.add(at);
    const delivered = asked.filter(({ kind }) => kind === 'success' || kind === 'issues');
    const results = (inTurn ? delivered.slice(-1) : delivered).map(({ at, kind }) => ({
      text: `${round}.${at}`,
      issues: kind === 'success' ? 0 : issuesOf(round, at),
    }));
    const chosen = results.reduce<typeof best>(
      (least, one) => (least && least.issues <= one.issues ? least : one),
      undefined,
    );
    if (chosen && (best === undefined || chosen.issues <= best.issues)) best = chosen;
    if (chosen?.issues === 0) return { text: chosen.text, converged: true };
  }
  return { text: best?.text, converged: false };
}

function holds(maxRounds: number, backends: number, inTurn: boolean, sequence: Sequence): void {
  const { commands, loop } = play(maxRounds, backends, inTurn, sequence);
  const what = commands.map((command) => command.do);
  const rounds = commands.flatMap((command) => ('round' in command ? [command.round] : []));
  const wanted = expected(maxRounds, backends, inTurn, sequence);
  const calls = commands.flatMap((command) => (command.do === 'relay' ? command.backends : []));
  const faults = [
    Math.max(...rounds) > maxRounds || loop.rounds.length > maxRounds ? 'more rounds than the cap' : '',
    rounds.some((round, at) => round < (rounds[at - 1] ?? 1)) ? 'a round that goes back' : '',
    what.filter((one) => one === 'clean up').length === 1 ? '' : 'not one clean-up',
    what.slice(-2).join() === 'clean up,synthesise' ? '' : 'no clean-up just before the synthesis',
    calls.length > 2 * maxRounds * backends ? 'more calls than two a round and backend' : '',
    what.filter((one) => one === 'wait').length > maxRounds ? 'more waits than rounds' : '',
    loop.best?.candidate.text === wanted.text ? '' : `the best is ${loop.best?.candidate.text}, not ${wanted.text}`,
    (loop.ending?.why === 'converged') === wanted.converged ? '' : 'convergence that is none',
  ].filter(Boolean);
  if (faults.length > 0) throw new Error(`${JSON.stringify(sequence)}: ${faults.join('; ')}`);
}

/** All sequences of a length over an alphabet. */
function* sequences<T>(alphabet: readonly T[], length: number): Generator<T[]> {
  if (length === 0) yield [];
  else for (const rest of sequences(alphabet, length - 1)) for (const one of alphabet) yield [...rest, one];
}

const PAIRS = [...sequences(KINDS, 2)];

describe('the invariants of the loop', () => {
  it.each([1, 2, 3, 4, 5])(
    'the loop keeps its invariants for every sequence of one backend in %i rounds',
    (maxRounds) => {
      for (const sequence of sequences(KINDS, maxRounds))
        holds(
          maxRounds,
          1,
          false,
          sequence.map((kind) => [kind]),
        );
    },
  );

  it.each([1, 2, 3])('the loop keeps its invariants for every sequence of two backends in %i rounds', (maxRounds) => {
    for (const sequence of sequences(PAIRS, maxRounds)) holds(maxRounds, 2, false, sequence);
  });

  it.each([4, 5])(
    'the loop keeps its invariants for many random sequences of two backends in %i rounds, side by side and in turn',
    (maxRounds) => {
      const pair = fc.constantFrom(...PAIRS);
      const sequence = fc.array(pair, { minLength: maxRounds, maxLength: maxRounds });
      fc.assert(
        fc.property(sequence, fc.boolean(), (kinds, inTurn) => holds(maxRounds, 2, inTurn, kinds)),
        { numRuns: 5_000 },
      );
    },
  );
});

/** The part of a loop that decides its future. */
const stateOf = ({ command, backends, rounds, best, ending }: Loop): string =>
  JSON.stringify([command, backends, rounds.at(-1)?.waited, best?.standing.rank, best?.candidate, ending]);

describe('every state that two backends reach in five rounds', () => {
  it('every state that two backends reach in five rounds leads to a clean-up and a synthesis with all five parts, also if it is stopped there', () => {
    const seen = new Map<string, Loop>();
    const open = [beginLoop(settings({ maxRounds: 5, backends: NAMES }))];
    for (let loop = open.pop(); loop !== undefined; loop = open.pop()) {
      if (seen.has(stateOf(loop))) continue;
      seen.set(stateOf(loop), loop);
      for (const kinds of loop.command.do === 'nothing' ? [] : PAIRS)
        open.push(
          advanceLoop(
            loop,
            answer(loop.command, () => kinds),
          ),
        );
    }
    expect(seen.size).toBeGreaterThan(500);
    for (const loop of seen.values()) {
      expect(loop.rounds.length).toBeLessThanOrEqual(5);
      const stopped = advanceLoop(loop, { kind: 'stop', ending: { why: 'interrupted', text: 'Ctrl-C' } });
      const isOver = loop.ending !== undefined;
      expect(stopped.command.do).toBe(isOver ? loop.command.do : 'clean up');
      const text = synthesisText(synthesise(stopped, FACTS));
      for (const part of PARTS) expect(text).toMatch(part);
      const { converged, unresolved } = synthesise(stopped, FACTS);
      expect(converged ? unresolved.length === 0 : unresolved.length > 0).toBe(true);
    }
  });
});
