import { describe, expect, it } from 'vitest';
import type { AgentReport } from '../../../src/model/team/reported-outcome.ts';
import { withReport } from '../../../src/policy/supervise/outcome-with-report.ts';
import type { TurnVerdict } from '../../../src/policy/outcome.ts';

const complete: TurnVerdict = { do: 'complete', text: 'printed\n', exitCode: 0 };
const fail: TurnVerdict = { do: 'fail', why: 'exit 1', text: 'printed\n', exitCode: 1 };
const release: TurnVerdict = { do: 'release', reason: 'released', why: 'stopped' };
const report = (outcome: AgentReport['outcome']): AgentReport => ({ outcome, text: 'said' });

describe('an agent’s own report', () => {
  it.each<[string, TurnVerdict, AgentReport | undefined, TurnVerdict]>([
    ['changes nothing when there is none', complete, undefined, complete],
    ['adds its text to the result', complete, report('completed'), { ...complete, text: 'printed\n\nsaid' }],
    [
      'is the whole result of a silent turn',
      { ...complete, text: '' },
      report('completed'),
      { ...complete, text: 'said' },
    ],
    [
      'makes a failure of a turn that ended well',
      complete,
      report('failed'),
      { do: 'fail', why: 'said', text: 'printed\n\nsaid', exitCode: 0 },
    ],
    ['says why a failure is one', fail, report('failed'), { ...fail, why: 'said', text: 'printed\n\nsaid' }],
    ['makes no success of a failure', fail, report('completed'), { ...fail, text: 'printed\n\nsaid' }],
    ['counts for nothing when a verification did not agree', complete, report('unverified'), complete],
    ['ends no claim that is given back', release, report('failed'), release],
  ])('%s', (_, verdict, said, ends) => {
    expect(withReport(verdict, said)).toEqual(ends);
  });
});
