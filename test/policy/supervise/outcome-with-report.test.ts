import { describe, expect, it } from 'vitest';
import type { AgentReport } from '../../../src/model/member/reported-outcome.ts';
import { withReport } from '../../../src/policy/supervise/outcome-with-report.ts';
import type { TurnVerdict } from '../../../src/policy/outcome.ts';

const complete: TurnVerdict = { do: 'complete', text: 'printed\n', exitCode: 0 };
const fail: TurnVerdict = { do: 'fail', why: 'exit 1', text: 'printed\n', exitCode: 1 };
const release: TurnVerdict = { do: 'release', reason: 'released', why: 'stopped' };
const report = (outcome: AgentReport['outcome']): AgentReport => ({ outcome, text: 'said' });

describe('a report of the agent itself', () => {
  it.each<[string, TurnVerdict, AgentReport | undefined, TurnVerdict]>([
    ['changes nothing if there is none', complete, undefined, complete],
    ['adds its text to the result', complete, report('completed'), { ...complete, text: 'printed\n\nsaid' }],
    [
      'is the whole result of a turn without output',
      { ...complete, text: '' },
      report('completed'),
      { ...complete, text: 'said' },
    ],
    [
      'makes a successful turn a failure',
      complete,
      report('failed'),
      { do: 'fail', why: 'said', text: 'printed\n\nsaid', exitCode: 0 },
    ],
    ['gives the reason of a failure', fail, report('failed'), { ...fail, why: 'said', text: 'printed\n\nsaid' }],
    ['never makes a failure a success', fail, report('completed'), { ...fail, text: 'printed\n\nsaid' }],
    ['does not count if its verification failed', complete, report('unverified'), complete],
    ['does not end a released claim', release, report('failed'), release],
  ])('a report of the agent %s', (_, verdict, said, ends) => {
    expect(withReport(verdict, said)).toEqual(ends);
  });
});
