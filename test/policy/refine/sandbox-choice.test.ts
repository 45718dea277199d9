/** Which tasks may write (docs/specification.md R9.10). */
import { describe, expect, it } from 'vitest';
import { SANDBOXES } from '../../../src/model/agent/agent.ts';
import { chooseSandbox } from '../../../src/policy/refine/sandbox-choice.ts';

describe('the sandbox', () => {
  it.each([
    // Examples of the specification.
    'create .md files under /architecture',
    'refactor the backend',
    'apply these changes',
    // The verbs.
    'Fix the login',
    'Implement rate limiting',
    'Rename getUser to fetchUser',
    'Delete the dead code',
    'Migrate the tests to vitest',
    'Install eslint',
    'Make the tests pass',
    'make the test suite green',
    // The verbs that need an object.
    'Write tests for the parser',
    'Add a --json flag',
    'Update README.md',
    'Generate docs/api.md',
    'Build a CLI',
    'Create three API endpoints',
    'Write a migration',
    'Design and document the schema in docs/schema.md',
    // A polite request, a later clause, or an item of a list.
    'Please fix the login',
    'Can you refactor this?',
    "Let's add a test",
    'I want you to rewrite the parser',
    'Review the code and fix the bugs',
    'Analyse why the login fails, then fix it.',
    'The login is broken. Fix it.',
    '- review the parser\n- add tests for it',
    'Fix the bug; do not modify the public API',
  ])('the sandbox escalates for: %s', (task) => {
    const { sandbox, why } = chooseSandbox(task);
    expect(sandbox).toBe('workspace-write');
    expect(why).toMatch(/^the task says "/);
  });

  it.each([
    // Review, explain and analyse never write, whatever the rest of the task says.
    'Review the code',
    'Review the function that creates files',
    'Explain how to create a file',
    'Analyse the refactoring of the backend',
    'Analyze what the fix in src/a.ts changes',
    'Describe how to build and test the project',
    'Tell me how to fix the login',
    // An object of words, not of files.
    'Write a summary of the design',
    'Create a list of risks',
    'Make a recommendation',
    'Draft an answer',
    'Suggest a better name',
    'What would a rewrite cost?',
    'Why does the build fail?',
    'Is it safe to delete it?',
    // The task itself forbids writing.
    'Review the parser and fix what you find. Do not change any files.',
    'Plan the refactoring, then refactor on paper, without modifying anything',
    'Implement it as a sketch; read-only.',
    'Fix it in your answer, no changes',
    '',
  ])('the sandbox stays read-only for: %s', (task) => {
    expect(chooseSandbox(task).sandbox).toBe('read-only');
  });

  it.each(SANDBOXES)('the sandbox is %s if that was requested, whatever the task says', (sandbox) => {
    for (const task of ['Review the code', 'Fix the login'])
      expect(chooseSandbox(task, sandbox)).toEqual({ sandbox, why: 'asked for by --sandbox' });
  });

  it('the choice of a sandbox names the words that decided', () => {
    expect(chooseSandbox('Look at it, then fix the login').why).toBe('the task says "fix the login"');
    expect(chooseSandbox('Review it').why).toBe('the task does not ask for changes of files');
    expect(chooseSandbox('Fix it, but do not edit files').why).toBe('the task says "do not edit files"');
  });
});
