/** The deliverables of a task, so that each can be judged separately. */
import { describe, expect, it } from 'vitest';
import { deliverablesOf, sameDeliverable } from '../../../src/policy/refine/deliverables.ts';

describe('deliverables', () => {
  it.each([
    ['Review the code', ['the result']],
    ['Create a.md, docs/b.md and c.md', ['a.md', 'docs/b.md', 'c.md']],
    ['Fix src/login.ts and the test in test/login.test.ts', ['src/login.ts', 'test/login.test.ts']],
    ['Fix a.ts, then look at a.ts again', ['a.ts']],
    ['Port it to Node.js 20.19 and Vue.js', ['the result']],
    ['See https://example.org/guide for v1.2', ['the result']],
    ['Do this:\n- parse\n- print\n* check', ['parse', 'print', 'check']],
    ['1. parse\n2) print', ['parse', 'print']],
    ['- only one point', ['the result']],
    ['Write 3 API endpoints', ['API endpoints (1 of 3)', 'API endpoints (2 of 3)', 'API endpoints (3 of 3)']],
    ['Write two architecture docs', ['architecture docs (1 of 2)', 'architecture docs (2 of 2)']],
    ['It runs 4 times in 2 seconds', ['the result']],
    ['Create 3 endpoints in routes.ts', ['endpoints (1 of 3)', 'endpoints (2 of 3)', 'endpoints (3 of 3)']],
  ])('the deliverables of %j are %j', (task, names) => {
    expect(deliverablesOf(task)).toEqual(names);
  });

  it('a task has at most twenty deliverables', () => {
    expect(deliverablesOf(Array.from({ length: 50 }, (_, at) => `f${at}.md`).join(' '))).toHaveLength(20);
  });

  it.each([
    ['docs/a.md', '`a.md`', true],
    ['./a.md', 'A.md', true],
    ['the  result.', 'the result', true],
    ['a.md', 'ba.md', false],
    ['a.md', 'b.md', false],
  ])('the deliverables %j and %j are the same: %s', (a, b, same) => {
    expect(sameDeliverable(a, b)).toBe(same);
    expect(sameDeliverable(b, a)).toBe(same);
  });
});
