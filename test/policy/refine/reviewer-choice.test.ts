/** Who reviews: SPEC §10's order, and who never does. */
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
    ['whoever was asked for', { asked: command, used: [codex, gemini] }, 'exec:./fix: asked for by --reviewer'],
    [
      'the other backend of the run',
      { used: [codex, gemini], available: [claude] },
      'gemini: from another vendor than codex',
    ],
    [
      'the same the other way round',
      { backend: gemini, used: [codex, gemini] },
      'codex: from another vendor than gemini',
    ],
    ['another vendor that is there', { available: [codex, claude] }, 'claude: from another vendor than codex'],
    ['no API of the same vendor', { available: [one('openai'), gemini] }, 'gemini: from another vendor than codex'],
    ['a fresh session without another', {}, 'codex: a new session: no agent of another vendor is available'],
    [
      'a fresh session, never a command',
      { used: [codex, command] },
      'codex: a new session: no agent of another vendor is available',
    ],
    ['the validation for a command', { backend: command, hasValidation: true, available: [claude] }, 'validation'],
    [
      'another for a command without',
      { backend: command, available: [claude] },
      'claude: from another vendor than exec:./fix',
    ],
    ['nobody for a command alone', { backend: command }, 'nobody'],
  ])('is %s', (_, request, expected) => {
    expect(who(request)).toBe(expected);
  });
});
