/** The level of an event's log message. */
import { describe, expect, test } from 'vitest';
import { logLevelOf } from '../../../src/policy/view/log-level.ts';
import { logFact } from '../../../src/model/team/shown-event.ts';

const at = '2026-01-01T00:00:00.000Z';
const levelOf = (type: string, more: object = {}) => logLevelOf(logFact({ at, type, ...more }));

describe('the level of a log message', () => {
  test.each([
    ['lead.decided', { act: 'restart' }, 'warning'],
    ['lead.decided', { act: 'quarantine' }, 'error'],
    ['lead.decided', { act: 'give up' }, 'error'],
    ['lead.decided', { act: 'assign' }, 'info'],
    ['lead.decided', { act: 'of a later version' }, 'info'],
    ['agent.delayed', {}, 'warning'],
    ['agent.denied', {}, 'notice'],
    ['gate.ended', { result: 'fail' }, 'error'],
    ['gate.ended', { result: 'pass' }, 'info'],
    ['agent.said', {}, 'debug'],
    ['of.a_later_version', {}, 'debug'],
  ])('%s %j is told as %s', (type, more, level) => {
    expect(levelOf(type, more)).toBe(level);
  });
});
