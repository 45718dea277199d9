/**
 * What the lead of a pipeline does: which member it starts, when it asks a person, what it sends back, and when it
 * ends.
 */
import { describe, expect, it } from 'vitest';
import { pipelineGraph } from '../../../src/policy/pipeline/pipeline-graph.ts';
import { needsFix } from '../../../src/policy/pipeline/fix-loop.ts';
import { judge } from '../../../src/policy/supervise/judge.ts';
import type { MemberSighting, PipelineSighting } from '../../../src/policy/sighting.ts';
import { LIMITS, name, seen, world, type World } from '../world.ts';

const team = (): World =>
  world({
    profile: 'pipeline',
    claim: 'prefix',
    members: ['fe:fe-developer:DEV-FE', 'qa:fe-qa:QA-FE'],
    tasks: [
      { subject: 'DEV-FE-001 Build', owner: 'fe', work: { artifact: 'a/front-end.md' } },
      { subject: 'QA-FE-001 Check', owner: 'qa', blockedBy: ['1'], metadata: { _fix: 'DEV-FE-001' } },
      { subject: 'CHECKPOINT-001 Confirm', owner: 'lead', blockedBy: ['2'], metadata: { _checkpoint: true } },
    ],
  });

const look = ({ board }: World, sight: Partial<PipelineSighting> = {}, members: readonly MemberSighting[] = []) => {
  const pipeline = { owing: new Set<never>(), told: new Set<string>(), passesCheckpoints: false, ...sight };
  const verdicts = judge(
    { board, members, overslept: false, untrusted: new Set(), unattended: true, pipeline },
    LIMITS,
  );
  return verdicts.map((verdict) =>
    [verdict.do, 'member' in verdict ? verdict.member : 'task' in verdict ? verdict.task : ''].join(' ').trim(),
  );
};

function done(the: World, member: string, task: string, verdict?: string): void {
  the.claim(member, task);
  if (verdict !== undefined) the.member(member, { type: 'task.updated', task, metadata: { verdict } });
  the.complete(member, task);
}

describe('the lead of a pipeline', () => {
  it('the lead of a pipeline starts the member whose task is ready, and no member twice', () => {
    expect(look(team())).toEqual(['start fe']);
    expect(look(team(), {}, [seen('fe', { process: 'starting' })])).toEqual([]);
    expect(look(team(), {}, [seen('fe', { process: 'none', quarantined: true })])).toEqual(['assign 1']);
  });

  it('the lead of a pipeline starts the member that held a claim when all processes died', () => {
    const the = team();
    the.claim('fe', '1');
    expect(look(the)).toEqual(['start fe']);
    expect(look(the, {}, [seen('fe', {})])).toEqual([]);
  });

  it('the lead of a pipeline waits for the report of a running role and writes the report of a dead one', () => {
    const the = team();
    done(the, 'fe', '1');
    const owing = new Set([name('fe')]);
    expect(look(the, { owing }, [seen('fe', {})])).toEqual([]);
    expect(look(the, { owing }, [seen('fe', { process: 'none' })])).toEqual(['start qa', 'start fe']);
    expect(look(the, {}, [seen('fe', { process: 'none' })])).toEqual(['start qa']);
  });

  it('the lead of a pipeline asks a person at a checkpoint, once, and waits; or passes it', () => {
    const the = team();
    done(the, 'fe', '1');
    done(the, 'qa', '2');
    expect(look(the)).toEqual(['tell 3']);
    expect(look(the, { told: new Set(['3']) })).toEqual([]);
    expect(look(the, { passesCheckpoints: true })).toEqual(['pass 3']);
  });

  it('the lead of a pipeline sends work back before any member goes on with it', () => {
    const the = team();
    done(the, 'fe', '1');
    done(the, 'qa', '2', 'NEEDS_FIX');
    expect(look(the)).toEqual(['redo 2', 'tell 3']);
  });

  it('the lead of a pipeline ends when every task is final and every role has reported', () => {
    const the = team();
    done(the, 'fe', '1');
    for (const task of ['2', '3']) the.lead({ type: 'task.skipped', task, cascade: false, why: 'no' });
    const gone = [seen('fe', { process: 'none' })];
    expect(look(the, { owing: new Set([name('fe')]) }, gone)).toEqual(['start fe']);
    expect(look(the, {}, gone)).toEqual(['finish']);
    expect(look(the, { owing: new Set([name('fe')]) }, [seen('fe', { process: 'dead', givenUp: true })])).toEqual([
      'finish',
    ]);
  });
});

describe('NEEDS_FIX', () => {
  it.each([
    ['NEEDS_FIX\n- the button', true],
    ['\n  NEEDS_FIX  \n', true],
    ['PASS', false],
    ['It NEEDS_FIX', false],
    ['needs_fix', false],
    ['', false],
  ])('NEEDS_FIX counts only as the whole first line: %j', (answer, expected) => {
    expect(needsFix(answer)).toBe(expected);
  });
});

describe('the graph', () => {
  it('the graph has each task once, below the last of its blockers', () => {
    const task = (code: string, role: string | null, ...after: string[]) => ({
      code,
      role: role === null ? null : name(role),
      subject: 'Do',
      description: '',
      after,
      timeoutMs: 0,
      retries: 0,
    });
    const tasks = [task('A-001', 'a'), task('B-001', 'b', 'A-001'), task('C-001', null, 'A-001')];
    expect(pipelineGraph({ tasks: [...tasks, task('D-001', 'd', 'B-001', 'C-001')] })).toEqual([
      'A-001  a: Do',
      '├─ B-001  b: Do',
      '└─ C-001  a person: Do',
      '   └─ D-001  d: Do [after B-001 too]',
    ]);
  });
});
