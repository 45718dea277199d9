/** The rubric (docs/specification.md R9.6): when a result passes, and which of several results is better. */
import { describe, expect, it } from 'vitest';
import type { Critique, Review, Validation } from '../../../src/model/pipeline/round.ts';
import { exitCodeReview } from '../../../src/policy/refine/relay-outcome.ts';
import { compareStandings, standingOf, type Rubric } from '../../../src/policy/refine/rubric.ts';
import { select, type RatedCandidate } from '../../../src/policy/refine/selection.ts';
import { backend, critique, failing, finding, passing, review } from '../rounds.ts';

const ONE: Rubric = { deliverables: ['the result'], isComplex: false };
const TWO: Rubric = { deliverables: ['a.md', 'b.md'], isComplex: true };

const green: Validation = { command: 'npm test', passed: true, message: 'exit 0', printed: '' };
const red: Validation = { command: 'npm test', passed: false, message: 'exit 1: 3 failed', printed: 'not ok 1' };

const of = (one: Review, rubric = ONE, round = 1, validation?: Validation) =>
  standingOf(one, validation, round, rubric);
const item = (more: Partial<Critique>): Review => review([critique('the result', more)]);

describe('the rubric', () => {
  it('the rubric passes when all three items pass', () => {
    expect(of(passing)).toMatchObject({ converged: true, unresolved: [] });
  });

  it.each([
    ['acceptance', item({ accepted: false }), 'the result: acceptance criteria are not met'],
    ['risks', item({ safe: false }), 'the result: there are critical risks or correctness issues'],
    ['a failed validation', item({ validation: 'failed' }), 'the result: its validation failed'],
    [
      'no validation and no reason',
      item({ validation: 'skipped', reason: ' ' }),
      'the result: it was not validated, without a reason',
    ],
    ['a critical finding', review([critique('the result')], [finding('critical')]), 'critical: a critical one'],
    ['a major finding', review([critique('the result')], [finding('major')]), 'major: a major one'],
  ])('the rubric fails by %s alone', (_, one, why) => {
    expect(of(one)).toMatchObject({ converged: false, unresolved: [why] });
  });

  it('the rubric passes with a documented reason for no validation, and with minor findings', () => {
    expect(of(item({ validation: 'skipped', reason: 'there is nothing to run' })).converged).toBe(true);
    expect(of(review([critique('the result')], [finding('minor')])).converged).toBe(true);
  });

  it.each<Review>([
    { kind: 'unreadable', by: 'claude', why: 'it contains no JSON object' },
    { kind: 'failed', by: 'claude', why: 'timeout', forGood: false },
  ])('the rubric does not pass by a review that is $is', (one) => {
    const { converged, unresolved } = of(one);
    expect(converged).toBe(false);
    expect(unresolved[0]).toMatch(/^claude gave (?:no|an unreadable) verdict/);
  });

  it('the result of --validate overrules a reviewer', () => {
    expect(of(passing, ONE, 1, red)).toMatchObject({
      converged: false,
      unresolved: ['validation failed: npm test (exit 1: 3 failed)'],
    });
    expect(of(passing, ONE, 1, green).converged).toBe(true);
    expect(of(failing(), ONE, 1, green).converged).toBe(false);
  });
});

describe('several deliverables', () => {
  it('several deliverables each need their own verdict, in every round', () => {
    for (const round of [1, 2, 5])
      expect(of(review([critique('a.md')]), TWO, round)).toMatchObject({
        converged: false,
        unresolved: ['b.md: not reviewed'],
      });
    expect(of(review([critique('a.md'), critique('docs/b.md')]), TWO).converged).toBe(true);
  });

  it.each([
    ['', false],
    ['fine', false],
    ['Looks good to me!', false],
    ['Everything is fine.', false],
    ['It says what a cookie is, and links to the standard.', true],
  ])('several deliverables need a critique in words in round 1, and %j is one: %s', (text, converged) => {
    const both = review([critique('a.md'), critique('b.md', { critique: text })]);
    expect(of(both, TWO, 1).converged).toBe(converged);
    expect(of(both, TWO, 2).converged).toBe(true);
  });

  it('several deliverables are not approved by one critique for all of them', () => {
    const text = 'It does all that was asked.';
    const both = review([critique('a.md', { critique: text }), critique('b.md', { critique: text })]);
    expect(of(both, TWO).unresolved).toEqual([
      'a.md: approved in round 1 without a critique of its own',
      'b.md: approved in round 1 without a critique of its own',
    ]);
  });

  it('several deliverables are all judged by the exit code of a requested command', () => {
    const command = (validation: Validation) => exitCodeReview('exec:npm test', validation, TWO.deliverables);
    expect(of(command(green), TWO).converged).toBe(true);
    expect(of(command(red), TWO)).toMatchObject({ unresolved: ['critical: npm test: exit 1: 3 failed'] });
    expect(of(command(red), TWO, 1, red).unresolved).toHaveLength(1);
  });

  it('a single deliverable of a complex task needs a critique too', () => {
    const bare = item({ critique: '' });
    expect(of(bare, { ...ONE, isComplex: true }).converged).toBe(false);
    expect(of(bare, ONE).converged).toBe(true);
  });
});

describe('the better one', () => {
  const order: [string, Review, Validation?][] = [
    ['unreviewed and not valid', { kind: 'unreadable', by: 'x', why: 'y' }, red],
    ['unreviewed', { kind: 'unreadable', by: 'x', why: 'y' }],
    ['reviewed and not valid', passing, red],
    ['two items fail', item({ safe: false, accepted: false })],
    ['one item fails, critical', failing(finding('critical'))],
    ['one item fails, two major findings', failing(finding('major'), finding('major'))],
    ['one item fails, one major finding', failing(finding('major'))],
    ['one item fails, a minor finding', failing(finding('minor'))],
    ['passes with two minor findings', review([critique('the result')], [finding('minor'), finding('minor')])],
    ['passes', passing],
  ];

  it('the better result is chosen by verdict, validation, share of the rubric, and severity, in that order', () => {
    const standings = order.map(([, one, validation]) => of(one, ONE, 1, validation));
    for (const [at, worse] of standings.entries())
      for (const better of standings.slice(at + 1)) {
        expect(compareStandings(better, worse)).toBeGreaterThan(0);
        expect(compareStandings(worse, better)).toBeLessThan(0);
        expect(compareStandings(worse, worse)).toBe(0);
      }
  });
});

describe('both backends', () => {
  const judged = (name: string, one: Review): RatedCandidate => ({
    candidate: { backend: backend(name), round: 1, text: name },
    standing: of(one),
  });
  const chosen = (...all: RatedCandidate[]) => {
    const { agreement, rationale, chosen: one } = select(all) ?? {};
    return { who: one?.candidate.backend, agreement, rationale };
  };

  it('two backends that both pass are judged alike, and nobody says that they agree', () => {
    expect(chosen(judged('codex', passing), judged('gemini', passing))).toEqual({
      who: 'codex',
      agreement: 'alike',
      rationale: "codex and gemini pass the rubric alike; codex's is taken, being first.",
    });
  });

  it('two backends that disagree are judged separately, and the better one is taken with the rationale', () => {
    expect(chosen(judged('codex', failing(finding('critical', 'it leaks'))), judged('gemini', passing))).toEqual({
      who: 'gemini',
      agreement: 'conflict',
      rationale: "gemini passes the rubric and codex does not (critical: it leaks): gemini's is taken.",
    });
  });

  it('two backends that both have issues agree on that, and the one with lesser issues is taken', () => {
    expect(chosen(judged('codex', failing(finding('critical'))), judged('gemini', failing(finding('minor'))))).toEqual({
      who: 'gemini',
      agreement: 'alike',
      rationale: "gemini and codex both fail the rubric; gemini's is taken for fewer and lesser findings.",
    });
  });

  it('two backends of which only one delivered are judged as one', () => {
    expect(chosen(judged('codex', passing))).toEqual({ who: 'codex', agreement: 'alone', rationale: undefined });
    expect(select([])).toBeUndefined();
  });
});
