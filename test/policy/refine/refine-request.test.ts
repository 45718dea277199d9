/** Which words of a request are a cap of rounds, and which are the task (docs/specification.md R9.2). */
import { describe, expect, it } from 'vitest';
import { DEFAULT_ROUNDS, parseRounds, refineRequest } from '../../../src/policy/refine/refine-request.ts';

describe('--max-rounds', () => {
  it.each([
    ['1', 1],
    ['3', 3],
    ['5', 5],
    ['0', 1],
    ['-1', 1],
    ['6', 5],
    ['99999999999999999999', 5],
    ['+2', 2],
    [' 2 ', 2],
  ])('--max-rounds takes %j as %i rounds', (text, rounds) => {
    expect(parseRounds(text)).toEqual({ ok: true, rounds });
  });

  it.each(['', ' ', 'two', '2.5', '1e1', '0x2', 'NaN', '--backend', '3 rounds', '٣'])(
    '--max-rounds refuses %j',
    (text) => {
      expect(parseRounds(text)).toHaveProperty('why', expect.stringContaining('whole number from 1 to 5'));
    },
  );

  it('--max-rounds wins over the prose, which is still removed from the task', () => {
    expect(refineRequest('review this code, max 4 rounds', 2)).toMatchObject({
      task: 'review this code',
      maxRounds: 2,
    });
  });
});

describe('a cap in prose', () => {
  it.each([
    // Examples of the specification.
    ['review this code, max 2 rounds', 'review this code', 2],
    ['Review the design, no more than 3 times', 'Review the design', 3],
    ['Review the design; no more than 4 rounds', 'Review the design', 4],
    ['Review the design. Up to 2 iterations.', 'Review the design.', 2],
    // More examples of the specification.
    ['No more than 3 iterations: refactor the parser', 'refactor the parser', 3],
    ['up to 9 times, improve the docs', 'improve the docs', 5],
    // At the start, in the middle, in brackets, and on a line of its own.
    ['Max 2 rounds. Fix the login.', 'Fix the login.', 2],
    ['Fix the login (max 2 rounds)', 'Fix the login', 2],
    ['Fix the login (max 2 rounds), then the logout', 'Fix the login, then the logout', 2],
    ['Fix the login, max 2 rounds, and the logout', 'Fix the login, and the logout', 2],
    ['Fix the login\nmax 2 rounds\nand the logout', 'Fix the login\nand the logout', 2],
    ['Fix the login - at most 4 rounds', 'Fix the login', 4],
    ['Fix the login — at most 4 rounds', 'Fix the login', 4],
    ['Fix the login, with no more than two rounds', 'Fix the login', 2],
    ['Fix the login, but at most one iteration please', 'Fix the login, but at most one iteration please', 3],
    ['Fix the login, 2 rounds max', 'Fix the login', 2],
    ['Fix the login! Maximum of 4 passes!', 'Fix the login!', 4],
    ['Fix the login, max. 2 rounds', 'Fix the login', 2],
    ['Fix the login, max 0 rounds', 'Fix the login', 1],
  ])('%j is %j in %i rounds', (text, task, maxRounds) => {
    expect(refineRequest(text)).toMatchObject({ task, maxRounds });
  });

  it.each([
    'Fix the loop that runs no more than 4 times',
    'Write a retry helper, up to 3 times per request',
    'Retry the call no more than 3 times, then give up',
    'Make max 2 rounds the default of the game',
    'Explain why up to 5 iterations are needed',
    'Review the code for 2 rounds of edits',
    'Implement bcrypt with at most 12 rounds of hashing, and test it',
    'No more than 3 users may log in',
    'Play up to 3 rounds of chess',
    'max 2 roundscapes',
  ])('a cap inside a sentence is part of the task: %s', (text) => {
    expect(refineRequest(text)).toEqual({ task: text, maxRounds: DEFAULT_ROUNDS });
  });

  it('a cap alone leaves no task, so that the user is asked', () => {
    expect(refineRequest('max 2 rounds')).toEqual({ task: '', maxRounds: 2, clause: 'max 2 rounds' });
    expect(refineRequest('   ')).toEqual({ task: '', maxRounds: DEFAULT_ROUNDS });
  });

  it('a cap that was found is reported', () => {
    expect(refineRequest('Review it, MAX 2 Rounds').clause).toBe('MAX 2 Rounds');
  });

  it('a cap is found quickly in a text of any length', () => {
    const long = 'a, max b '.repeat(200_000);
    expect(refineRequest(long).maxRounds).toBe(DEFAULT_ROUNDS);
    expect(refineRequest(`${' '.repeat(200_000)}x`).task).toBe('x');
  });
});
