/** Verdicts, reviews and results for the tests of the refine loop. */
import { parseName, type Name } from '../../src/model/text/names.ts';
import {
  verdictSchema,
  type Critique,
  type Finding,
  type Review,
  type ReviewVerdict,
} from '../../src/model/pipeline/round.ts';
import type { LoopSettings } from '../../src/policy/refine/refine-loop.ts';

export const backend = (text: string): Name => parseName('member', text);

export const critique = (name: string, more: Partial<Critique> = {}): Critique => ({
  name,
  accepted: true,
  safe: true,
  validation: 'passed',
  reason: 'ran it',
  critique: `${name} does what was asked`,
  ...more,
});

const verdict = (deliverables: readonly Critique[], findings: readonly Finding[] = []): ReviewVerdict =>
  verdictSchema.parse({ deliverables, findings, summary: 'Read from end to end.' });

export const review = (deliverables: readonly Critique[], findings: readonly Finding[] = []): Review => ({
  kind: 'verdict',
  by: 'gemini',
  isMechanical: false,
  verdict: verdict(deliverables, findings),
});

export const passing = review([critique('the result')]);
export const failing = (...findings: Finding[]): Review =>
  review([critique('the result', { safe: false })], findings.length > 0 ? findings : [finding('critical')]);

export const finding = (severity: Finding['severity'], text = `a ${severity} one`): Finding => ({ severity, text });

export const settings = (more: Partial<LoopSettings> = {}): LoopSettings => ({
  backends: [backend('codex')],
  maxRounds: 3,
  inTurn: false,
  rubric: { deliverables: ['the result'], isComplex: false },
  ...more,
});
