import { describe, expect, it } from 'vitest';
import {
  AgentError,
  codeOf,
  ConflictError,
  isTeamError,
  StoreError,
  UsageError,
} from '../../../src/model/text/errors.ts';

describe('a failure', () => {
  it.each([
    [new UsageError('BAD_NAME', 'm'), 'UsageError', 2, false],
    [new ConflictError('QUOTA', 'm'), 'ConflictError', 3, true],
    [new StoreError('IO', 'm'), 'StoreError', 4, false],
    [new AgentError('AGENT_TIMEOUT', 'm'), 'AgentError', 5, false],
  ])('the class of a failure says who must act next: %s', (error, name, exitCode, retryable) => {
    expect(error).toMatchObject({ name, class: name, exitCode, retryable, message: 'm' });
    expect(error).toBeInstanceOf(Error);
    expect(isTeamError(error)).toBe(true);
  });

  it('a failure keeps its cause and the place where a person must look', () => {
    const cause = new Error('ENOSPC');
    expect(new StoreError('NO_SPACE', 'm', { cause, path: 'log.jsonl', line: 3 })).toMatchObject({
      cause,
      path: 'log.jsonl',
      line: 3,
    });
    expect('cause' in new UsageError('USAGE', 'm')).toBe(false);
  });

  it('a conflict may be final; an agent failure may be worth another try', () => {
    expect(new ConflictError('FINAL', 'm', { retryable: false }).retryable).toBe(false);
    expect(new AgentError('AGENT_UNAVAILABLE', 'm', { retryable: true }).retryable).toBe(true);
  });

  it('a failure from another copy of this module is recognised by its shape', () => {
    const foreign = Object.assign(new Error('m'), {
      class: 'UsageError',
      code: 'USAGE',
      exitCode: 2,
      retryable: false,
    });
    expect(isTeamError(foreign)).toBe(true);
    for (const other of [
      new Error('m'),
      Object.assign(new Error('m'), { code: 'ENOENT' }),
      { class: 'x' },
      null,
      undefined,
      'USAGE',
    ])
      expect(isTeamError(other)).toBe(false);
  });
});

it('codeOf reads the code of any error, and nothing else', () => {
  expect(codeOf(new UsageError('USAGE', 'm'))).toBe('USAGE');
  expect(codeOf(Object.assign(new Error('m'), { code: 'ENOENT' }))).toBe('ENOENT');
  for (const other of [new Error('m'), Object.assign(new Error('m'), { code: 7 }), { code: 'ENOENT' }, null, 'ENOENT'])
    expect(codeOf(other)).toBeUndefined();
});
