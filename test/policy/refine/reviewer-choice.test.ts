/** Which agent reviews, in the order of docs/specification.md R9.5, and which never does. */
import { describe, expect, it } from 'vitest';
import type { AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import {
  chooseReviewer,
  type ReviewerRequest,
  type LabelledReviewer,
} from '../../../src/policy/refine/reviewer-choice.ts';

const one = (kind: AgentKind, label: string = kind): LabelledReviewer => ({ label, agent: { kind } });
const [codex, gemini, claude, command] = [one('codex'), one('gemini'), one('claude'), one('exec', 'exec:./fix')];

const who = (request: Partial<ReviewerRequest>): string => {
  const backend = request.backend ?? codex;
  const choice = chooseReviewer({ backend, used: [backend], available: [], hasValidation: false, ...request });
  return choice === undefined
    ? 'nobody'
    : choice.by === 'agent'
      ? `${choice.reviewer.label}: ${choice.why}`
      : choice.by;
};

describe('the reviewer', () => {
  it.each<[string, Partial<ReviewerRequest>, string]>([
    ['the requested one', { asked: command, used: [codex, gemini] }, 'exec:./fix: asked for by --reviewer'],
    [
      'the other backend of the run',
      { used: [codex, gemini], available: [claude] },
      'gemini: from another vendor than codex',
    ],
    [
      'the other backend, in the opposite direction',
      { backend: gemini, used: [codex, gemini] },
      'codex: from another vendor than gemini',
    ],
    ['an available agent of another vendor', { available: [codex, claude] }, 'claude: from another vendor than codex'],
    ['no API of the same vendor', { available: [one('openai'), gemini] }, 'gemini: from another vendor than codex'],
    ['a new session if there is no other agent', {}, 'codex: a new session: no agent of another vendor is available'],
    [
      'a new session, never a command',
      { used: [codex, command] },
      'codex: a new session: no agent of another vendor is available',
    ],
    ['the validation, for a command', { backend: command, hasValidation: true, available: [claude] }, 'validation'],
    [
      'another agent, for a command without validation',
      { backend: command, available: [claude] },
      'claude: from another vendor than exec:./fix',
    ],
    ['none, for a command alone', { backend: command }, 'nobody'],
  ])('the reviewer is %s', (_, request, expected) => {
    expect(who(request)).toBe(expected);
  });
});
