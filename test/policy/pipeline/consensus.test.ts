/**
 * Consensus of subagents (docs/specification.md R10.12, R10.13): every row of the tables, and every possible rating.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOpinion, RISK_LEVELS, type View } from '../../../src/model/pipeline/discussion.ts';
import { PERSPECTIVES } from '../../../src/model/pipeline/role-spec.ts';
import {
  afterDiscussion,
  blockedText,
  consensusOf,
  discussLine,
  severityOf,
  type Views,
} from '../../../src/policy/pipeline/consensus.ts';

const view = (rating: number, more: Partial<View> = {}): View => ({
  perspective: 'product',
  by: 'gemini',
  rating,
  summary: 'as it is',
  missing_requirements: [],
  risks: [],
  divergences: [],
  action_items: [],
  ...more,
});
const rated = (first: number, ...others: number[]): Views => [
  view(first, { perspective: PERSPECTIVES[0] }),
  ...others.map((rating, at) => view(rating, { perspective: PERSPECTIVES[at + 1] ?? 'coverage' })),
];
const risk = (level: (typeof RISK_LEVELS)[number]): Views => [view(5, { risks: [{ level, text: 'a risk' }] }), view(5)];
const divergent: Partial<View> = { divergences: ['another database'] };

describe('the severity', () => {
  const rows: [why: string, views: Views, severity: string | undefined][] = [
    ['all agree', rated(5, 5, 5), undefined],
    ['an average of exactly 3.0', rated(3, 3, 3), undefined],
    ['a spread of 2', rated(5, 3), undefined],
    ['a low risk', risk('low'), undefined],
    ['a medium risk', risk('medium'), undefined],
    ['one view alone', rated(3), undefined],
    ['a divergent view', [view(5, divergent), view(5)], 'LOW'],
    ['a rating of 2', rated(2, 4, 4), 'MEDIUM'],
    ['a rating of 2, and a divergent view', [view(2, divergent), view(5)], 'MEDIUM'],
    ['a spread of 3', rated(5, 5, 2), 'MEDIUM'],
    ['a rating of 1 among fives', rated(1, 5, 5, 5, 5), 'MEDIUM'],
    ['two ratings of 2', rated(2, 2, 5, 5, 5), 'HIGH'],
    ['an average below 3.0', rated(3, 3, 2), 'HIGH'],
    ['one view of 2 alone', rated(2), 'HIGH'],
    ['a missing requirement', [view(5, { missing_requirements: ['log out'] }), view(5)], 'HIGH'],
    ['a high risk', risk('high'), 'HIGH'],
    ['a critical risk', risk('critical'), 'HIGH'],
  ];
  it.each(rows)('the severity of %s', (_, views, severity) => {
    expect(severityOf(views)).toBe(severity);
  });

  const opinions = fc.record({
    rating: fc.integer({ min: 1, max: 5 }),
    missing_requirements: fc.array(fc.constant('x'), { maxLength: 1 }),
    risks: fc.array(fc.record({ level: fc.constantFrom(...RISK_LEVELS), text: fc.constant('r') }), { maxLength: 2 }),
    divergences: fc.array(fc.constant('d'), { maxLength: 1 }),
  });
  const RANK = [undefined, 'LOW', 'MEDIUM', 'HIGH'];
  const rank = (views: Views): number => RANK.indexOf(severityOf(views));

  it('the severity does not depend on the order of the views, and never drops when one rates lower or misses more', () => {
    fc.assert(
      fc.property(fc.array(opinions, { minLength: 1, maxLength: 5 }), fc.nat(), (given, pick) => {
        const [first = view(5), ...rest] = given.map((one) => view(one.rating, one));
        const views: Views = [first, ...rest];
        const [last = first, ...before] = [...views].reverse();
        expect(severityOf([last, ...before])).toBe(severityOf(views));
        const at = pick % views.length;
        const worse = views.map((one, index) => (index === at ? { ...one, missing_requirements: ['y'] } : one));
        expect(rank([worse[0] ?? first, ...worse.slice(1)])).toBe(3);
        const lowest = Math.min(...views.map(({ rating }) => rating));
        const lower = views.map((one) => (one.rating === lowest ? { ...one, rating: Math.max(1, lowest - 1) } : one));
        expect(rank([lower[0] ?? first, ...lower.slice(1)])).toBeGreaterThanOrEqual(rank(views));
      }),
    );
  });
});

describe('the verdict', () => {
  const views: Views = [
    view(4, { perspective: 'product', divergences: ['too much'], action_items: ['cut it', 'say why'] }),
    view(3, { perspective: 'risk', risks: [{ level: 'critical', text: 'keys in logs' }], action_items: ['mask keys'] }),
    view(5, { perspective: 'coverage', missing_requirements: ['log out'], action_items: ['say why'] }),
  ];

  it('the verdict lists disagreements by weight and actions by urgency, each once', () => {
    expect(consensusOf(views, 'DRAFT-001 Brief')).toEqual({
      verdict: 'consensus_blocked',
      severity: 'HIGH',
      average_rating: 4,
      recommendation: 'revise',
      ratings: { product: 4, risk: 3, coverage: 5 },
      divergences: ['Coverage: missing: log out', 'Risk: critical risk: keys in logs', 'Product: too much'],
      action_items: ['mask keys', 'cut it', 'say why'],
    });
  });

  it.each([
    [rated(5, 5), 'DRAFT-001 Brief', 'consensus_reached', 'proceed'],
    [[view(5, divergent), view(5)] as Views, 'DRAFT-001 Brief', 'consensus_blocked', 'proceed'],
    [rated(2, 5), 'DRAFT-001 Brief', 'consensus_blocked', 'proceed-with-caution'],
    [rated(1, 1), 'DRAFT-001 Brief', 'consensus_blocked', 'revise'],
    [rated(1, 1), 'DRAFT-001-R1 Brief', 'consensus_blocked', 'revise'],
    [rated(1, 1), 'DRAFT-001-R2 Brief', 'consensus_blocked', 'escalate'],
  ])('%# recommends the right action', (given, subject, verdict, recommendation) => {
    expect(consensusOf(given, subject)).toMatchObject({ verdict, recommendation });
  });

  it('the verdict is written in six lines, each one line whatever the views contain', () => {
    const consensus = consensusOf(
      [view(1, { divergences: ['one', 'two\n lines', 'three', 'four'] })],
      'DRAFT-001 Brief',
    );
    const said = { role: 'writer', task: 'DRAFT-001', round: 'DISCUSS-002', consensus };
    expect(
      blockedText({ ...said, artifact: 'spec/brief.md', discussion: 'discussions/DISCUSS-002-discussion.md' }),
    ).toBe(
      [
        '[writer] DRAFT-001 complete. Discuss DISCUSS-002: consensus_blocked (severity=HIGH)',
        'Divergences: Product: one; Product: two lines; Product: three',
        'Action items: none',
        'Recommendation: revise',
        'Artifact: spec/brief.md',
        'Discussion: discussions/DISCUSS-002-discussion.md',
      ].join('\n'),
    );
  });
});

describe('after a discussion', () => {
  const after = (views: Views) => afterDiscussion(consensusOf(views, 'DRAFT-001 Brief'));
  const todo = { action_items: ['name it'] };

  it.each([
    ['consensus', [view(5, todo)] as Views, { do: 'go on', notes: ['name it'] }],
    [
      'LOW',
      [view(5, { ...todo, ...divergent })] as Views,
      { do: 'go on', notes: ['Product: another database', 'name it'] },
    ],
    [
      'MEDIUM',
      [view(2, { ...todo, ...divergent }), view(5)] as Views,
      {
        do: 'go on',
        notes: ['name it'],
        warning: 'consensus_blocked (severity=MEDIUM): Product: another database; Product: rates it 2: as it is',
      },
    ],
    ['HIGH', rated(1, 1), { do: 'hold' }],
  ])('%s leads to the specified action', (_, views, deed) => {
    expect(after(views)).toEqual(deed);
  });

  it('the report after a discussion has the verdict and the rating', () => {
    expect(discussLine('DISCUSS-002', consensusOf(rated(4, 4, 5), 'x'))).toBe(
      'DISCUSS-002: consensus_reached, rating 4.3',
    );
  });
});

describe('an opinion', () => {
  it('an opinion is read from a model’s text, with defaults for missing keys', () => {
    expect(readOpinion('Here:\n```json\n{"rating": 4, "summary": "fine"}\n```')).toEqual({
      ok: true,
      value: { rating: 4, summary: 'fine', missing_requirements: [], risks: [], divergences: [], action_items: [] },
    });
  });

  it.each([
    ['no rating', '{"summary": "fine"}'],
    ['a rating that is no integer', '{"rating": 3.5, "summary": "fine"}'],
    ['a rating of 0', '{"rating": 0, "summary": "fine"}'],
    ['a rating of 6', '{"rating": 6, "summary": "fine"}'],
    ['an unknown risk level', '{"rating": 4, "summary": "fine", "risks": [{"level": "huge", "text": "x"}]}'],
    ['praise', 'Looks good to me.'],
  ])('an opinion is refused with %s', (_, answer) => {
    expect(readOpinion(answer)).toHaveProperty('why', expect.stringMatching(/\S/));
  });
});
