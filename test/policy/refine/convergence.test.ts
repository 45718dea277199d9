/**
 * The loop and its failure table, row by row (docs/specification.md R9.8, R9.11): outcome of a command → next command.
 */
import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../../src/model/agent/agent.ts';
import type { RelayOutcome, Review } from '../../../src/model/pipeline/round.ts';
import { advanceLoop, beginLoop } from '../../../src/policy/refine/convergence.ts';
import type { Loop, LoopSettings } from '../../../src/policy/refine/refine-loop.ts';
import { backend, failing, finding, passing, settings } from '../rounds.ts';

const CODEX = backend('codex');
const GEMINI = backend('gemini');
const TWO = { backends: [CODEX, GEMINI] };

const success = (text = 'the work'): RelayOutcome => ({ kind: 'success', text });
const fail = (why: FailureClass, retryAfterMs?: number): RelayOutcome => ({
  kind: 'failed',
  why,
  message: `it was ${why}`,
  retryAfterMs,
});

const relay = (loop: Loop, codex?: RelayOutcome, gemini?: RelayOutcome): Loop =>
  advanceLoop(loop, {
    kind: 'relay',
    outcomes: new Map([...(codex ? [[CODEX, codex] as const] : []), ...(gemini ? [[GEMINI, gemini] as const] : [])]),
  });
const reviewed = (loop: Loop, codex?: Review, gemini?: Review): Loop =>
  advanceLoop(loop, {
    kind: 'review',
    reviews: new Map([...(codex ? [[CODEX, codex] as const] : []), ...(gemini ? [[GEMINI, gemini] as const] : [])]),
  });
const round = (loop: Loop, one: Review, text?: string): Loop => reviewed(relay(loop, success(text)), one);
const start = (more: Partial<LoopSettings> = {}): Loop => beginLoop(settings(more));

describe('a round', () => {
  it('a round is do, review, decide; if it converges in round 1, clean-up and synthesis follow', () => {
    const first = start();
    expect(first.command).toEqual({ do: 'relay', round: 1, backends: [CODEX] });
    const done = relay(first, success());
    expect(done.command).toEqual({
      do: 'review',
      round: 1,
      candidates: [{ backend: CODEX, round: 1, text: 'the work' }],
    });
    const over = reviewed(done, passing);
    expect(over).toMatchObject({ command: { do: 'clean up' }, ending: { why: 'converged' } });
    const clean = advanceLoop(over, { kind: 'clean up' });
    expect(clean.command).toEqual({ do: 'synthesise' });
    expect(advanceLoop(clean, { kind: 'synthesise' }).command).toEqual({ do: 'nothing' });
  });

  it('a round with issues is followed by the next until one converges', () => {
    const third = round(round(start(), failing()), failing());
    expect(third.command).toEqual({ do: 'relay', round: 3, backends: [CODEX] });
    expect(round(third, passing)).toMatchObject({ command: { do: 'clean up' }, ending: { why: 'converged' } });
  });

  it.each([1, 2, 3, 4, 5])('round %i is the last if that is the cap', (maxRounds) => {
    let loop = start({ maxRounds });
    for (let n = 1; n <= maxRounds; n += 1) {
      expect(loop.command).toMatchObject({ do: 'relay', round: n });
      loop = round(loop, failing());
    }
    expect(loop).toMatchObject({ command: { do: 'clean up' }, ending: { why: 'cap' } });
    expect(loop.rounds).toHaveLength(maxRounds);
  });

  it.each<Review>([
    { kind: 'unreadable', by: 'gemini', why: 'prose' },
    { kind: 'failed', by: 'gemini', why: 'timeout', forGood: false },
  ])('a round whose review is $is has not converged', (one) => {
    expect(round(start(), one).command).toMatchObject({ do: 'relay', round: 2 });
  });

  it('a round ends the loop if no agent can review it', () => {
    const gone = round(start(), { kind: 'failed', by: 'gemini', why: 'not installed', forGood: true });
    expect(gone).toMatchObject({
      ending: { why: 'reviewer', text: 'not installed' },
      best: { candidate: { round: 1 } },
    });
  });

  it('an unreviewed round does not count as passed', () => {
    expect(reviewed(relay(start(), success())).ending).toBeUndefined();
  });
});

describe('the failure table of the loop', () => {
  it('both requested, one fails mid-loop: goes on with the other, and the failure is kept', () => {
    const loop = relay(start(TWO), fail('not_installed'), success());
    expect(loop.command).toMatchObject({ do: 'review', candidates: [{ backend: GEMINI }] });
    expect(reviewed(loop, undefined, failing()).command).toEqual({ do: 'relay', round: 2, backends: [GEMINI] });
    expect(loop.backends[0]?.failed).toMatchObject({ why: 'not_installed', round: 1 });
  });

  it('both requested, both fail for good: stops, with the best earlier result if there is one', () => {
    const never = relay(start(TWO), fail('unauthorised'), fail('not_installed'));
    expect(never).toMatchObject({ command: { do: 'clean up' }, ending: { why: 'backends' } });
    expect(never.best).toBeUndefined();
    const once = reviewed(relay(start(TWO), success('good'), fail('timeout')), failing());
    const gone = relay(once, fail('overflow'), fail('unauthorised'));
    expect(gone).toMatchObject({ ending: { why: 'backends' }, best: { candidate: { text: 'good', round: 1 } } });
  });

  it.each(['timeout', 'crashed'] as const)('%s: a failure of this round, retried in the next', (why) => {
    expect(relay(start(), fail(why)).command).toEqual({ do: 'relay', round: 2, backends: [CODEX] });
    expect(relay(start(TWO), fail(why), fail(why)).command).toEqual({
      do: 'relay',
      round: 2,
      backends: [CODEX, GEMINI],
    });
  });

  it('429: skipped for this round, the other goes on, retried in the next', () => {
    const loop = relay(start(TWO), fail('rate_limited'), success());
    expect(loop.command).toMatchObject({ do: 'review', candidates: [{ backend: GEMINI }] });
    expect(reviewed(loop, undefined, failing()).command).toEqual({ do: 'relay', round: 2, backends: [CODEX, GEMINI] });
  });

  it.each([
    [undefined, 5_000],
    [0, 0],
    [-5, 0],
    [1_500, 1_500],
    [60_000, 60_000],
    [3_600_000, 60_000],
  ])('429 of a single backend that says %s ms: waits %i ms, once a round', (told, ms) => {
    const waits = relay(start(), fail('rate_limited', told));
    expect(waits.command).toEqual({ do: 'wait', ms });
    const again = advanceLoop(waits, { kind: 'wait' });
    expect(again.command).toEqual({ do: 'relay', round: 1, backends: [CODEX] });
    expect(relay(again, fail('rate_limited', told)).command).toMatchObject({ do: 'relay', round: 2 });
    expect(relay(again, success()).command).toMatchObject({ do: 'review', round: 1 });
  });

  it('429 of all remaining backends: waits for the shortest pause', () => {
    expect(relay(start(TWO), fail('rate_limited', 9_000), fail('rate_limited', 2_000)).command).toEqual({
      do: 'wait',
      ms: 2_000,
    });
    expect(relay(start(TWO), fail('rate_limited', 9_000), fail('unauthorised')).command).toEqual({
      do: 'wait',
      ms: 9_000,
    });
    expect(relay(start(TWO), fail('rate_limited', 9_000), fail('timeout')).command).toMatchObject({ round: 2 });
  });

  it.each(['not_installed', 'unauthorised', 'overflow'] as const)('%s: failed for good', (why) => {
    expect(relay(start(), fail(why))).toMatchObject({ ending: { why: 'backends' } });
  });

  it('bad output: the first is retried, the second is final', () => {
    const once = relay(start(), fail('bad_output'));
    expect(once.command).toMatchObject({ do: 'relay', round: 2 });
    expect(relay(once, fail('bad_output'))).toMatchObject({ ending: { why: 'backends' } });
  });

  it('no output at all: a crash', () => {
    expect(relay(start()).rounds[0].outcomes.get(CODEX)).toMatchObject({ kind: 'failed', why: 'crashed' });
  });
});

describe('both backends', () => {
  it('read-only backends are reviewed separately, and the better one counts', () => {
    const loop = relay(start(TWO), success('a'), success('b'));
    expect(loop.command).toMatchObject({ candidates: [{ backend: CODEX }, { backend: GEMINI }] });
    const over = reviewed(loop, failing(), passing);
    expect(over).toMatchObject({ ending: { why: 'converged' }, best: { candidate: { backend: GEMINI } } });
    expect(over.rounds[0].selection?.agreement).toBe('conflict');
  });

  it('backends that write in turn have one result, the one that the last of them left', () => {
    const loop = relay(start({ ...TWO, inTurn: true }), success('a'), success('b'));
    expect(loop.command).toMatchObject({ candidates: [{ backend: GEMINI, text: 'b' }] });
    expect(relay(start({ ...TWO, inTurn: true }), success('a'), fail('timeout')).command).toMatchObject({
      candidates: [{ backend: CODEX, text: 'a' }],
    });
  });
});

describe('the best one', () => {
  it('the best result is kept when a later round is worse, and replaced by an equal one', () => {
    const good = round(start({ maxRounds: 5 }), failing(finding('minor')), 'good');
    const worse = round(good, failing(finding('critical')), 'worse');
    expect(worse.best?.candidate.text).toBe('good');
    expect(round(worse, failing(finding('minor')), 'equal').best?.candidate.text).toBe('equal');
  });
});

describe('a stop from outside', () => {
  const stop = (loop: Loop, outcomes?: ReadonlyMap<typeof CODEX, RelayOutcome>): Loop =>
    advanceLoop(loop, {
      kind: 'stop',
      ending: { why: 'interrupted', text: 'Ctrl-C' },
      outcomes,
    });

  it('a stop from outside cleans up once, from every phase', () => {
    const relaying = start(TWO);
    const waiting = relay(start(), fail('rate_limited'));
    const reviewing = relay(start(), success());
    for (const loop of [relaying, waiting, reviewing])
      expect(stop(loop)).toMatchObject({ command: { do: 'clean up' }, ending: { why: 'interrupted' } });
    const over = reviewed(reviewing, passing);
    expect(stop(over)).toBe(over);
    const clean = advanceLoop(over, { kind: 'clean up' });
    expect(stop(clean)).toBe(clean);
  });

  it('a stop from outside keeps the present result, unreviewed', () => {
    expect(stop(start(TWO), new Map([[CODEX, success('half')]])).best).toMatchObject({
      candidate: { text: 'half' },
      standing: { converged: false },
    });
    expect(stop(relay(start(), success('whole'))).best?.candidate.text).toBe('whole');
    expect(stop(start()).best).toBeUndefined();
  });

  it('a stop from outside does not prefer an unreviewed result to a reviewed one', () => {
    const second = round(start(), failing(), 'reviewed');
    expect(stop(relay(second, success('new'))).best?.candidate.text).toBe('reviewed');
  });
});

it('an outcome of another command than the present one changes nothing', () => {
  const loop = start();
  expect(reviewed(loop, passing)).toBe(loop);
  expect(advanceLoop(loop, { kind: 'wait' })).toBe(loop);
  expect(advanceLoop(loop, { kind: 'clean up' })).toBe(loop);
  expect(advanceLoop(loop, { kind: 'synthesise' })).toBe(loop);
  const done = relay(loop, success());
  expect(relay(done, success())).toBe(done);
});
