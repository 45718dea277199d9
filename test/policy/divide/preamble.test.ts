/** The two preambles for workers of a divided task, word by word (docs/specification.md R8.9). */
import { describe, expect, it } from 'vitest';
import { parseName } from '../../../src/model/text/names.ts';
import { workSchema, type Task } from '../../../src/model/board/task.ts';
import { oneShotPreamble, workerPreamble } from '../../../src/policy/divide/preamble.ts';

const AT = '2026-02-10T12:00:00.000Z';
const task = (id: string, subject: string, files: string[], blockedBy: string[] = []): Task => ({
  id,
  subject,
  blockedBy,
  team: parseName('team', 't'),
  description: 'Do it.\nThen look.',
  status: 'pending',
  work: workSchema.parse({ files }),
  metadata: { acceptance: ['a', 'b'] },
  required: true,
  retries: 1,
  attempts: 0,
  lost: 0,
  claims: 0,
  created_at: AT,
  updated_at: AT,
});
const division = { shared: ['package.json'], boundary: [{ file: 'src/types.ts', owner: 'worker-2' }] };

describe('the preamble of a worker with the tools of the team', () => {
  const told = workerPreamble({
    team: 't',
    member: 'worker-1',
    role: 'executor',
    rolePrompt: 'You build.',
    readOnly: false,
    division,
    tasks: [task('1', 'Fix a', ['src/a/**']), task('3', 'Fix c', ['src/c.ts', 'src/a/**'], ['1', '2'])],
  });

  it('the preamble of a team worker has the specified sections, in their order', () => {
    expect(told.match(/^== .* ==$/gm)).toEqual(
      ['ROLE', 'ASSIGNED TASKS', 'FILE OWNERSHIP', 'WORK PROTOCOL', 'BLOCKED TASKS', 'ERRORS', 'RULES'].map(
        (title) => `== ${title} ==`,
      ),
    );
    expect(told.match(/^\d\. [A-Z ]+(?=:)/gm)).toEqual(
      ['CLAIM', 'WORK', 'VERIFY', 'COMPLETE', 'REPORT', 'NEXT', 'PEER MESSAGING', 'SHUTDOWN'].map(
        (step, at) => `${at + 1}. ${step}`,
      ),
    );
  });

  it("the preamble begins with the worker's identity, its own files, and the files it may not change", () => {
    expect(told.slice(0, told.indexOf('== WORK PROTOCOL')))
      .toBe(`You are a TEAM WORKER in team "t". Your name is "worker-1". Your role is executor.
You report to the team lead ("team-lead").

== ROLE ==
You build.

== ASSIGNED TASKS ==
#1: Fix a
    Do it.
    Then look.
#3: Fix c (blocked by #1, #2)
    Do it.
    Then look.

== FILE OWNERSHIP ==
Files you OWN (may modify): src/a/**, src/c.ts
Files you must NOT modify: everything else
Shared files (coordinator only): package.json
Boundary files: src/types.ts (worker-2)
If a shared file must change, say so in your report, a line for each: SHARED package.json: what has to stand in it. The coordinator does it.

`);
  });

  it('the preamble of a read-only worker names no files', () => {
    const looking = workerPreamble({
      team: 't',
      member: 'worker-1',
      role: 'style-reviewer',
      rolePrompt: '',
      readOnly: true,
      division,
      tasks: [task('1', 'Review a', ['src/a/**'])],
    });
    expect(looking).toContain('Files you OWN (may modify): none; you look and report\n');
    expect(looking).not.toContain('== ROLE ==');
  });
});

describe('the preamble of a program that does one task', () => {
  it('the preamble of a program is the specified MCP worker preamble', () => {
    const before: Task = {
      ...task('2', 'Define types', ['src/types.ts']),

      status: 'completed',
      claimed_at: AT,
      result: { summary: 'Exports User.', files: ['src/types.ts', 'src/u.ts'] },
      by: { member: parseName('member', 'worker-2'), incarnation: 'x', epoch: 1 },
    };
    const one = { task: task('1', 'Fix a', ['src/a/**']), role: 'executor', rolePrompt: '', readOnly: false };
    expect(oneShotPreamble({ ...one, cwd: '/work', division, before: [before] }))
      .toBe(`You are an autonomous worker executing a team task.

== TASK ==
Subject: Fix a
Description: Do it.
Then look.
Acceptance Criteria:${' '}
- a
- b

== FILE SCOPE ==
Files you may modify: src/a/**
Files you must NOT modify: everything else

== INSTRUCTIONS ==
1. Read the relevant files to understand the current state
2. Implement the changes described in the task
3. Verify your changes compile/pass lint
4. Do NOT modify files outside your scope
5. Do NOT leave debug artifacts (console.log, TODO, debugger)
6. End with a summary that stands for itself: what you did, in which files, how you checked it

== CONTEXT ==
Project root: /work
Related files for reference (read-only): src/types.ts, src/u.ts, package.json
Done before, #2 Define types:
    Exports User.`);
  });
});
