/** The outcome of a turn for the loop: every failure class, every exit code. */
import { describe, expect, it } from 'vitest';
import { FAILURE_CLASSES } from '../../../src/model/agent/agent.ts';
import {
  commandReview,
  relayOutcome,
  reviewOf,
  validationOf,
  type EndedCall,
} from '../../../src/policy/refine/relay-outcome.ts';

const answered = (text: string, printed = text): EndedCall => ({ kind: 'answered', text, exitCode: 0, printed });
const exited = (exitCode: number, text = '', printed = text): EndedCall => ({
  kind: 'failed',
  why: 'exit',
  text,
  exitCode,
  printed,
  message: `exit ${exitCode}`,
});
const JSON_VERDICT = JSON.stringify({
  deliverables: [{ name: 'the result', accepted: true, safe: true, validation: 'passed', critique: 'read it all' }],
  summary: 'Good.',
});

describe('a relay call', () => {
  it('a relay call that answers is a success', () => {
    expect(relayOutcome(answered('the work'), 'read-only')).toEqual({ kind: 'success', text: 'the work' });
  });

  it('a relay call without output has delivered nothing, unless it may write files', () => {
    expect(relayOutcome(answered(' \n'), 'read-only')).toMatchObject({ kind: 'failed', why: 'bad_output' });
    expect(relayOutcome(answered(''), 'workspace-write')).toEqual({ kind: 'success', text: '' });
    expect(relayOutcome(answered(''), 'full')).toEqual({ kind: 'success', text: '' });
  });

  it.each(FAILURE_CLASSES)('a relay call that failed as %s keeps that class', (why) => {
    const end: EndedCall = { kind: 'failed', why, text: '', message: 'm', retryAfterMs: 7 };
    expect(relayOutcome(end, 'read-only')).toEqual({ kind: 'failed', why, message: 'm', retryAfterMs: 7 });
  });

  it('a relay call that ends with another exit code has crashed', () => {
    expect(relayOutcome(exited(3), 'read-only')).toEqual({ kind: 'failed', why: 'crashed', message: 'exit 3' });
  });
});

describe('a reviewer in words', () => {
  it('a reviewer in words gives a verdict or an unreadable answer', () => {
    expect(reviewOf('gemini', answered(JSON_VERDICT))).toMatchObject({
      kind: 'verdict',
      by: 'gemini',
      isMechanical: false,
    });
    expect(reviewOf('gemini', answered('Looks good!'))).toMatchObject({
      kind: 'unreadable',
      why: 'it contains no JSON object',
    });
  });

  it.each([
    ['not_installed', true],
    ['unauthorised', true],
    ['timeout', false],
    ['rate_limited', false],
    ['crashed', false],
  ] as const)('a reviewer that failed as %s is out for good: %s', (why, forGood) => {
    expect(reviewOf('gemini', { kind: 'failed', why, text: '', message: 'm' })).toMatchObject({
      kind: 'failed',
      forGood,
    });
  });
});

describe('a command as a reviewer', () => {
  const command = { label: 'exec:npm test', command: 'npm test' };
  const both = ['a.md', 'b.md'];

  it('a command as a reviewer approves every deliverable by exit 0', () => {
    expect(commandReview(command, answered('ok 1'), both)).toMatchObject({
      kind: 'verdict',
      isMechanical: true,
      verdict: {
        deliverables: both.map((name) => ({ name, accepted: true, safe: true, validation: 'passed' })),
        findings: [],
      },
    });
  });

  it('a command as a reviewer refuses every deliverable by another exit code, with its output of both streams', () => {
    expect(commandReview(command, exited(1, 'not ok 1', 'not ok 1\nTypeError'), both)).toMatchObject({
      verdict: {
        deliverables: both.map((name) => ({ name, accepted: false })),
        findings: [{ severity: 'critical', text: 'npm test: exit 1' }],
      },
      evidence: { command: 'npm test', printed: 'not ok 1\nTypeError' },
    });
  });

  it('a command as a reviewer may print a verdict, which must agree with its exit code', () => {
    expect(commandReview(command, answered(JSON_VERDICT), both)).toMatchObject({
      isMechanical: false,
      verdict: { summary: 'Good.', findings: [] },
    });
    expect(commandReview(command, exited(2, JSON_VERDICT), both)).toMatchObject({
      verdict: { findings: [{ severity: 'critical', text: 'exec:npm test ended with exit 2' }] },
    });
  });

  it.each([126, 127])('a command that exits with %i is no reviewer', (code) => {
    expect(commandReview(command, exited(code), both)).toMatchObject({ kind: 'failed', forGood: true });
  });

  it('a command that is missing or times out gives no verdict', () => {
    const failed = (why: 'not_installed' | 'timeout'): EndedCall => ({ kind: 'failed', why, text: '', message: 'm' });
    expect(commandReview(command, failed('not_installed'), both)).toMatchObject({ kind: 'failed', forGood: true });
    expect(commandReview(command, failed('timeout'), both)).toMatchObject({ kind: 'failed', forGood: false });
  });
});

it('--validate passes by exit 0 only, and its output is kept', () => {
  expect(validationOf('npm test', answered('', 'ok\n'))).toEqual({
    command: 'npm test',
    passed: true,
    message: 'exit 0',
    printed: 'ok',
  });
  expect(validationOf('npm test', exited(1, 'x'))).toMatchObject({ passed: false, message: 'exit 1' });
  expect(validationOf('npm test', { kind: 'failed', why: 'timeout', text: '', message: 'Timed out.' })).toMatchObject({
    passed: false,
  });
});
