/**
 * Phase 5 of a role (docs/specification.md R10.6): the table of its two variants, what interrupts the loop, and the
 * prompts on the way.
 */
import { describe, expect, it } from 'vitest';
import { parseRoleSpec } from '../../../src/model/pipeline/role-spec.ts';
import { PHASE_5, loopVariantOf, type RoleProgress, type Variant } from '../../../src/policy/pipeline/role-progress.ts';
import { finalReport, keyDecisions, phasePrompt, type PhaseBrief } from '../../../src/policy/pipeline/role-wording.ts';
import { name } from '../world.ts';

describe('Phase 5', () => {
  it.each<[string, Partial<RoleProgress>, Variant]>([
    ['an inner loop with more tasks of its prefix', { innerLoop: true, pending: 1 }, '5-L'],
    ['an inner loop without more tasks', { innerLoop: true, pending: 0 }, '5-F'],
    ['no inner loop', { innerLoop: false, pending: 3 }, '5-F'],
    ['two errors', { innerLoop: true, pending: 1, errors: 2 }, '5-L'],
    ['three errors', { innerLoop: true, pending: 1, errors: 3 }, 'interrupt'],
    ['a HIGH lack of consensus', { innerLoop: true, pending: 1, isBlocked: true }, 'interrupt'],
  ])('phase 5 after %s', (_, course, variant) => {
    expect(loopVariantOf({ innerLoop: false, pending: 0, errors: 0, isBlocked: false, ...course })).toBe(variant);
  });

  it('phase 5 follows its table', () => {
    const yes = ({ completes, logs, accumulates, reports, fastAdvances }: (typeof PHASE_5)[Variant]) =>
      [completes, logs, accumulates, reports, fastAdvances].map((one) => (one ? 'YES' : 'NO')).join(' ');
    expect(yes(PHASE_5['5-L'])).toBe('YES YES YES NO NO');
    expect(yes(PHASE_5['5-F'])).toBe('YES YES NO YES YES');
  });
});

const { role: spec } = parseRoleSpec(name('writer'), {
  file: 'writer.md',
  text: '---\nprefix: DRAFT\n---\nYou write.\n## Phase 2: Read\nRead it.\n## Phase 3: Write\nWrite it.\n',
});
const [read, write] = spec.phases;
if (read === undefined || write === undefined) throw new Error('two phases');

const brief: PhaseBrief = {
  fields: {
    role: 'writer',
    role_spec: 'roles/writer.md',
    session: '/t/tls-x',
    session_id: 'TLS-x',
    team_name: 'tls-x',
    requirement: 'A shop\nrole: lead',
    inner_loop: true,
  },
  spec,
  task: { subject: 'DRAFT-002 Write', description: 'All of it.' },
  artifact: 'spec/a.md',
  phase: read,
  before: [],
  accumulator: [],
  knows: false,
};

describe('the prompt of a phase', () => {
  it('the prompt of a phase has the specified fields, one line each: the role, the task, and the phase last', () => {
    expect(phasePrompt(brief)).toBe(
      [
        '## Role Assignment',
        'role: writer',
        'role_spec: roles/writer.md',
        'session: /t/tls-x',
        'session_id: TLS-x',
        'team_name: tls-x',
        'requirement: A shop role: lead',
        'inner_loop: true',
        '',
        'You write.',
        '',
        '## Task: DRAFT-002 Write',
        '',
        'All of it.',
        '',
        '## Phase 2: Read',
        '',
        'Read it.',
      ].join('\n'),
    );
  });

  it('the prompt of a phase includes earlier work and the results of the earlier phases', () => {
    const summary = { task: 'DRAFT-001', artifact: 'spec/0.md', key_decisions: [], summary: 'brief\nwritten' };
    const accumulator = [{ ...summary, discuss_verdict: 'none', discuss_rating: null, warnings: [], notes: [] }];
    const text = phasePrompt({ ...brief, phase: write, before: [{ phase: 2, text: 'notes' }], accumulator });
    expect(text).toContain('- DRAFT-001 (spec/0.md): brief written');
    expect(text).toContain('## What Phase 2 came to\n\nnotes');
    expect(text).toContain('is kept as spec/a.md');
  });

  it('the prompt for an agent with memory includes only what is new', () => {
    expect(phasePrompt({ ...brief, knows: true })).toBe('## Phase 2: Read\n\nRead it.');
  });
});

describe('the final report', () => {
  it('the final report has the tag on every line, whatever an agent wrote', () => {
    const one = { task: 'DRAFT-001', artifact: 'spec/0.md', key_decisions: ['Go\non'], summary: 'a\nb' };
    const text = finalReport('writer', {
      done: [{ ...one, discuss_verdict: 'consensus_reached', discuss_rating: 4.2, warnings: ['slow'], notes: [] }],
      failed: [{ task: 'DRAFT-002', why: 'x\ny' }],
      interrupted: '3 errors',
    });
    expect(text.split('\n')).toEqual([
      '[writer] Final report: 1 task completed.',
      '[writer] Stopped: 3 errors',
      '[writer] Completed DRAFT-001: a b',
      '[writer] Artifact: spec/0.md',
      '[writer] Discussed DRAFT-001: consensus_reached (average 4.2)',
      '[writer] Warning on DRAFT-001: slow',
      '[writer] Decision: Go on',
      '[writer] Failed DRAFT-002: x y',
    ]);
  });

  it.each([
    ['Done.\n\n**Key decisions:**\n- one\n\n2. two\nMore.', ['one', 'two']],
    ['## Key decisions\n* one', ['one']],
    ['My key decisions: none', []],
    ['Key decisions:\nnone', []],
  ])('the final report finds the decisions in %j', (text, decisions) => {
    expect(keyDecisions(text)).toEqual(decisions);
  });
});
