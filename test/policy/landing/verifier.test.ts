/**
 * Cross-verification (docs/specification.md R8.17): which agent verifies, and which tasks follow from a failed verdict.
 */
import { describe, expect, it } from 'vitest';
import type { AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import { chooseVerifier, fixTasks, MOST_FIX_ROUNDS, verificationPrompt } from '../../../src/policy/landing/verifier.ts';
import { readVerificationVerdict } from '../../../src/model/agent/verification-verdict.ts';
import { world } from '../world.ts';

describe('who verifies', () => {
  it.each<[string, AgentKind[], string]>([
    ['claude → codex', ['claude', 'anthropic'], 'codex'],
    ['codex → gemini', ['codex', 'openai'], 'gemini'],
    ['gemini → codex', ['gemini'], 'codex'],
    ['mixed → least used', ['codex', 'codex', 'claude', 'claude', 'gemini'], 'gemini'],
    ['mixed → one that did not work', ['claude', 'gemini'], 'codex'],
    ['mixed, a tie → codex', ['claude', 'gemini', 'codex'], 'codex'],
    ['commands next to a vendor do not count', ['exec', 'claude'], 'codex'],
  ])('%s', (_, workers, by) => {
    expect(chooseVerifier(workers, () => true)).toMatchObject({ do: 'verify', by });
    expect(chooseVerifier(workers, (vendor) => vendor !== by)).toMatchObject({ do: 'skip' });
  });

  it.each<[string, AgentKind[]]>([
    ['only commands worked', ['exec', 'scripted']],
    ['no member worked', []],
    ['the vendor of the model is unknown', ['opencode', 'ollama', 'acp']],
  ])('no agent verifies when %s', (_, workers) => {
    expect(chooseVerifier(workers, () => true)).toMatchObject({ do: 'skip' });
  });
});

describe('what is wrong', () => {
  it('each issue becomes a task without a follow-up', () => {
    const tasks = fixTasks(readVerificationVerdict('FAIL\n- no tests\n- dead code'), 1);
    expect(tasks.map(({ subject }) => subject)).toEqual(['[no-cascade] Fix: no tests', '[no-cascade] Fix: dead code']);
    expect(tasks[0]?.description).toContain('round 1 of 3');
  });

  it('unlisted issues become one task, and a list at most ten', () => {
    expect(fixTasks(readVerificationVerdict('FAIL\nIt does not build.'), 1)).toMatchObject([
      { subject: '[no-cascade] Fix: It does not build.' },
    ]);
    const many = Array.from({ length: 50 }, (_, at) => `- issue ${at}`).join('\n');
    expect(fixTasks(readVerificationVerdict(`FAIL\n${many}`), 1)).toHaveLength(10);
  });

  it('issues are worked on in a bounded number of rounds', () => {
    expect(fixTasks(readVerificationVerdict('FAIL'), MOST_FIX_ROUNDS)).toHaveLength(1);
    expect(fixTasks(readVerificationVerdict('FAIL'), MOST_FIX_ROUNDS + 1)).toEqual([]);
    expect(fixTasks(readVerificationVerdict('PASS'), 1)).toEqual([]);
  });
});

it('the verifier gets the task and which member did what', () => {
  const team = world({ members: ['ada'], tasks: [{ subject: 'Build it', owner: 'ada' }] });
  team.claim('ada', '1');
  team.complete('ada', '1');
  const task = team.task('1');
  if (task.status !== 'completed') throw new Error('not completed');
  const prompt = verificationPrompt({ prompt: 'add a login', team: 'crew', workers: 3 }, [
    { task, role: 'executor', routing: 'codex', change: `+added\n${'x'.repeat(60_000)}` },
  ]);
  expect(prompt).toContain('CHANGE of #1:\n+added\nxxx');
  expect(prompt).toContain('[7 characters are left out: `teams diff crew 1` shows the whole change]');
  expect(prompt).toContain('for a team of 3 workers.\n\nORIGINAL TASK: add a login\n');
  expect(prompt).toContain('  #1: Build it\n  Worker: ada (executor/codex)\n  Summary: done\n');
  expect(prompt).toContain('the first line is exactly PASS or FAIL');
});
