/** The table of fallback (docs/specification.md R7.8). */
import { describe, expect, it } from 'vitest';
import { FAILURE_CLASSES, type AgentSpec, type FailureClass } from '../../../src/model/agent/agent.ts';
import { agentKey, mayFallBack, remedyFor, standIns, type Remedy } from '../../../src/policy/supervise/fallback.ts';

const forRun: Remedy = { do: 'fall back', for: 'run' };
const forTask: Remedy = { do: 'fall back', for: 'task' };
const again = (afterMs: number): Remedy => ({ do: 'again', afterMs });

describe('an agent that failed', () => {
  it.each<[readonly FailureClass[], Remedy]>([
    [['not_installed'], forRun],
    [['unauthorised'], forRun],
    [['crashed', 'unauthorised'], forRun],
    [['crashed'], again(5_000)],
    [['crashed', 'crashed'], again(10_000)],
    [['crashed', 'crashed', 'crashed'], again(20_000)],
    [['crashed', 'crashed', 'crashed', 'crashed'], forTask],
    [['bad_output'], again(0)],
    [['bad_output', 'bad_output'], forTask],
    [['bad_output', 'crashed', 'bad_output'], forTask],
    [['refused'], forTask],
    [['overflow'], again(0)],
    [['overflow', 'overflow'], forTask],
    [['timeout'], again(0)],
    [['timeout', 'timeout'], forTask],
    [['timeout', 'bad_output'], again(0)],
    [['rate_limited', 'rate_limited', 'rate_limited'], { do: 'again' }],
    [[], { do: 'again' }],
  ])('an agent that failed by %j: %j', (faults, remedy) => {
    expect(remedyFor(faults)).toEqual(remedy);
  });

  it('an agent that keeps failing is always replaced in the end, unless its vendor only asks for time', () => {
    for (const fault of FAILURE_CLASSES.filter((one) => one !== 'rate_limited'))
      expect(remedyFor(Array.from({ length: 4 }, () => fault))).toMatchObject({ do: 'fall back' });
  });
});

const claude: AgentSpec = { kind: 'claude', tier: 'opus' };
const FALLBACK: readonly AgentSpec[] = [
  { kind: 'claude' },
  { kind: 'exec', command: ['true'] },
  { kind: 'scripted' },
  { kind: 'anthropic' },
  { kind: 'codex', model: 'gpt-5.4', tier: 'haiku' },
];

describe('the replacement of an agent', () => {
  it('the replacements are the other agents of the list, in its order, in the tier of the failed one', () => {
    expect(standIns(claude, FALLBACK, () => false)).toEqual([
      { kind: 'anthropic', tier: 'opus' },
      { kind: 'codex', model: 'gpt-5.4', tier: 'opus' },
    ]);
  });

  it('a replacement was not tried yet and can work in this run', () => {
    const isSpent = (key: string): boolean => key === agentKey({ kind: 'anthropic' });
    expect(standIns(claude, FALLBACK, isSpent).map(({ kind }) => kind)).toEqual(['codex']);
    expect(standIns(claude, [], () => false)).toEqual([]);
  });

  it('the same kind at another address is another agent', () => {
    const gateway: AgentSpec = { kind: 'claude', baseUrl: 'http://127.0.0.1:1' };
    expect(standIns(claude, [gateway], () => false)).toEqual([{ ...gateway, tier: 'opus' }]);
  });

  it.each([
    ['exec', false],
    ['scripted', false],
    ['claude', true],
    ['acp', true],
    ['ollama', true],
  ] as const)('the replacement for %s: %s', (kind, may) => {
    expect(mayFallBack({ kind })).toBe(may);
  });
});
