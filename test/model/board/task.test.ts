import { describe, expect, it } from 'vitest';
import { byId, newTaskSchema, subjectCode, taskIdSchema, uniqueMarks } from '../../../src/model/board/task.ts';

describe('subjectCode', () => {
  it.each([
    ['DRAFT-001 Write', 'DRAFT-001'],
    ['DRAFT-001', 'DRAFT-001'],
    ['DRAFT-001: Write', 'DRAFT-001'],
    ['[tag] DEV-FE-001 x', 'DEV-FE-001'],
    ['[a][b]  QA-FE-002', 'QA-FE-002'],
    ['QUALITY-001-R1', 'QUALITY-001-R1'],
    ['QUALITY-001-R12 again', 'QUALITY-001-R12'],
    ['QUALITY-001-RX', 'QUALITY-001'],
    ['X2-1000 more digits', 'X2-1000'],
  ])('subjectCode of %j is %s', (subject, code) => expect(subjectCode(subject)).toBe(code));

  it.each([
    'HTTP-2 is slow',
    'UTF-8',
    'RFC-22 x',
    'draft-001',
    'Draft-001',
    ' DRAFT-001',
    'Write DRAFT-001',
    'DRAFT-001x',
    'DRAFT001',
    '-001',
    '001',
    '',
    '[DRAFT-001',
    'DRÄFT-001',
    'DRAFT-٠٠١',
  ])('subjectCode of %j is undefined', (subject) => expect(subjectCode(subject)).toBeUndefined());

  it('subjectCode takes linear time for a hostile subject', () => {
    const start = performance.now();
    for (const hostile of [
      '[]'.repeat(500_000),
      'A-'.repeat(500_000),
      '['.repeat(1_000_000),
      `${'A'.repeat(1_000_000)}-00`,
      `[${']['.repeat(500_000)}`,
    ])
      subjectCode(hostile);
    // A quadratic match would take hours; the limit is high so that a loaded machine passes.
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});

describe('a new task', () => {
  it('a new task gets its defaults when it is parsed', () => {
    expect(newTaskSchema.parse({ subject: 's' })).toEqual({
      subject: 's',
      description: '',
      blockedBy: [],
      retries: 0,
      required: true,
      metadata: {},
      work: { verify: [], env: {}, files: [] },
    });
  });

  it.each([
    {},
    { subject: '' },
    { subject: 's', blockedBy: ['0'] },
    { subject: 's', blockedBy: ['01'] },
    { subject: 's', blockedBy: ['-1'] },

    { subject: 's', owner: 'Bob' },
    { subject: 's', owner: 'all' },
    { subject: 's', role: 'lead' },
    { subject: 's', retries: -1 },

    { subject: 's', retries: 1.5 },
    { subject: 's', status: 'completed' },
    { subject: 's', key: '' },
    { subject: 's', work: { runs: 'x' } },
    { subject: 's', work: { run: [] } },
    { subject: 's', work: { timeoutMs: 0 } },
    { subject: 'x'.repeat(1_001) },
  ])('a new task is refused as %j', (fields) => expect(newTaskSchema.safeParse(fields).success).toBe(false));

  it('a new task may be owned by the lead', () =>
    expect(newTaskSchema.parse({ subject: 's', owner: 'lead' }).owner).toBe('lead'));

  it('a new task has the keys that must be unique on a board', () => {
    const fields = newTaskSchema.parse({ subject: 'IMPL-001 x', key: 'k', metadata: { parent: '1', kind: 'test' } });
    expect(uniqueMarks(fields)).toEqual(['key k', 'code IMPL-001', 'cascade ["1","test"]']);
    expect(uniqueMarks(newTaskSchema.parse({ subject: 'x', metadata: { parent: 1, kind: 'test' } }))).toEqual([]);
  });
});

it('task ids are compared as numbers', () => {
  expect([{ id: '10' }, { id: '9' }, { id: '2' }].sort(byId).map(({ id }) => id)).toEqual(['2', '9', '10']);
});

it('a task id is a decimal number that a double can hold exactly', () => {
  for (const id of ['1', '10', '999999999999999']) expect(taskIdSchema.safeParse(id).success, id).toBe(true);
  for (const id of ['', '0', '01', '1e3', '-1', '1.0', ' 1', '1\n', '١', '1000000000000000', '../1'])
    expect(taskIdSchema.safeParse(id).success, id).toBe(false);
});
