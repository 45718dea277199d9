/** The five parts of the synthesis, for each possible end of a loop (docs/specification.md R9.11). */
import { describe, expect, it } from 'vitest';
import { parseBackends } from '../../../src/model/pipeline/backend.ts';
import type { RelayOutcome, Review, Validation } from '../../../src/model/pipeline/round.ts';
import { advanceLoop, beginLoop } from '../../../src/policy/refine/convergence.ts';
import type { Loop } from '../../../src/policy/refine/refine-loop.ts';
import { synthesise, type SynthesisFacts } from '../../../src/policy/refine/synthesis.ts';
import { synthesisText } from '../../../src/policy/refine/synthesis-text.ts';
import { backend, failing, finding, passing, settings } from '../rounds.ts';

const CODEX = backend('codex');
const GEMINI = backend('gemini');

const facts = (more: Partial<SynthesisFacts> = {}): SynthesisFacts => ({
  task: 'Fix the login',
  backends: parseBackends(['codex']).backends,
  skipped: [],
  notes: [],
  sandbox: { sandbox: 'workspace-write', why: 'the task says "Fix the login"' },
  ...more,
});

const relayed = (loop: Loop, ...outcomes: RelayOutcome[]): Loop =>
  advanceLoop(loop, {
    kind: 'relay',
    outcomes: new Map(outcomes.map((one, at) => [at === 0 ? CODEX : GEMINI, one] as const)),
  });
const reviewed = (loop: Loop, reviews: Review[], validation?: Validation): Loop =>
  advanceLoop(loop, {
    kind: 'review',
    reviews: new Map(reviews.map((one, at) => [at === 0 ? CODEX : GEMINI, one] as const)),
    validation,
  });
const did = (text: string): RelayOutcome => ({ kind: 'success', text });
const gone: RelayOutcome = { kind: 'failed', why: 'unauthorised', message: 'log in first' };
const start = (maxRounds = 3) => beginLoop(settings({ maxRounds, inTurn: true }));

describe('the synthesis', () => {
  it('the synthesis of a converged loop says what was done, by which backend, in how many rounds, and that all passed', () => {
    const loop = reviewed(relayed(reviewed(relayed(start(), did('one')), [failing()]), did('THE WORK')), [passing]);
    expect(synthesisText(synthesise(loop, facts()))).toBe(
      [
        'REFINE CONVERGED: Fix the login',
        '',
        'Accomplished:',
        '  The task is done, by codex in round 2: Read from end to end.',
        '',
        'Backends:',
        '  codex: round 1: delivered 3 characters; round 2: delivered 8 characters',
        '',
        'Rounds: Converged in 2 rounds (of at most 3).',
        '  1: codex success | has issues (1 finding)',
        '  2: codex success | passed',
        '',
        'Convergence: all rubric items passed, for every deliverable.',
        '',
        'Sandbox: workspace-write was used: the task says "Fix the login"; files could be written.',
        '',
        'Result (codex, round 2):',
        '',
        'THE WORK',
      ].join('\n'),
    );
  });

  it('the synthesis of a forced stop lists what is unresolved', () => {
    const loop = reviewed(relayed(start(1), did('x')), [failing(finding('major', 'it is slow'))]);
    const { converged, unresolved, result } = synthesise(loop, facts());
    expect({ converged, unresolved, result }).toEqual({
      converged: false,
      result: 'x',
      unresolved: ['major: it is slow', 'the result: there are critical risks or correctness issues'],
    });
    expect(synthesisText(synthesise(loop, facts()))).toContain(
      'Forced stop after 1 round, the most that were allowed.',
    );
  });

  it('the synthesis without a result is a failure summary', () => {
    const loop = relayed(start(), gone);
    expect(synthesise(loop, facts())).toMatchObject({
      accomplished: 'Nothing: no backend delivered a result.',
      result: null,
      resultFrom: null,
      unresolved: ['codex failed permanently: unauthorised (log in first)'],
    });
    expect(synthesisText(synthesise(loop, facts()))).toMatch(/^REFINE FAILED: Fix the login\n/);
  });

  it('the synthesis takes the best earlier result when every backend fails for good', () => {
    const loop = relayed(reviewed(relayed(start(), did('kept')), [failing()]), gone);
    expect(synthesise(loop, facts())).toMatchObject({ result: 'kept', resultFrom: { round: 1 } });
  });

  it('the synthesis names the backends that were left out, and why', () => {
    const [gemini] = parseBackends(['gemini']).backends;
    const skipped = gemini === undefined ? [] : [{ backend: gemini, why: 'gemini in PATH: not found' }];
    const text = synthesisText(synthesise(relayed(start(), gone), facts({ skipped })));
    expect(text).toContain('\n  gemini: skipped: gemini in PATH: not found\n');
  });

  it('the synthesis reports agreement and conflict of two backends, with the rationale', () => {
    const loop = reviewed(relayed(beginLoop(settings({ backends: [CODEX, GEMINI] })), did('a'), did('b')), [
      failing(),
      passing,
    ]);
    expect(synthesisText(synthesise(loop, facts()))).toContain('the verdicts differ: gemini passes the rubric');
    const [round] = synthesise(loop, facts()).rounds;
    expect(round).toMatchObject({
      agreement: 'conflict',
      backends: [
        { name: 'codex', outcome: 'success' },
        { name: 'gemini', outcome: 'success' },
      ],
    });
  });

  it('the synthesis reports the result of --validate', () => {
    const red = { command: 'npm test', passed: false, message: 'exit 1', printed: '' };
    const text = synthesisText(synthesise(reviewed(relayed(start(1), did('x')), [passing], red), facts()));
    expect(text).toContain('  1: codex success | has issues | npm test: exit 1');
    expect(text).toContain('  - validation failed: npm test (exit 1)');
  });

  it('the synthesis states the sandbox, and that a command is not restricted by it', () => {
    const sandbox = { sandbox: 'read-only', why: 'asked for by --sandbox' } as const;
    const { sandboxNote } = synthesise(
      relayed(start(), gone),
      facts({ sandbox, backends: parseBackends(['exec:./x']).backends }),
    );
    expect(sandboxNote).toBe(
      'read-only: asked for by --sandbox. Not enforced for exec:./x: a command may change any file.',
    );
  });

  it('the synthesis says if the files are of a later round than the best result', () => {
    const better = reviewed(relayed(start(2), did('good')), [failing(finding('minor'))]);
    const worse = reviewed(relayed(better, did('bad')), [failing(finding('critical'))]);
    expect(synthesise(worse, facts()).notes).toEqual([
      'The files are from round 2; the report above is from round 1, which was judged better.',
    ]);
  });

  it('the synthesis of an interruption keeps the results so far', () => {
    const loop = advanceLoop(relayed(start(), did('half')), {
      kind: 'stop',
      ending: { why: 'interrupted', text: 'interrupted by a signal' },
    });
    const text = synthesisText(synthesise(loop, facts()));
    expect(text).toMatch(/^REFINE INTERRUPTED/);
    expect(text).toContain('Interrupted after 1 round of 3.');
    expect(text).toMatch(/\n\nhalf$/);
    const early = advanceLoop(start(), {
      kind: 'stop',
      ending: { why: 'interrupted', text: 'interrupted by a signal' },
    });
    const said = synthesisText(synthesise(early, facts()));
    expect(said).toContain('Interrupted after 0 rounds of 3.');
    expect(said).toContain('round 1: was asked, and stopped before it answered');
    expect(said).not.toContain('was not asked');
  });
});
