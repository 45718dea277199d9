import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/model/text/errors.ts';
import { parseName } from '../../../src/model/text/names.ts';
import { misfits, parsePipeline, type Pipeline } from '../../../src/model/pipeline/pipeline-definition.ts';
import { parseRoleSpec, type RoleSpec } from '../../../src/model/pipeline/role-spec.ts';

const name = (text: string) => parseName('team', text);

const FILES: Readonly<Record<string, string>> = {
  spec: 'description: s\ntasks: [{code: DRAFT-001, role: writer, subject: Write}]',
  build: [
    'description: b',
    'tasks:',
    '  - {code: TEST-001, role: tester, subject: Test, after: [IMPL-001]}',
    '  - {code: IMPL-001, role: executor, subject: Build}',
  ].join('\n'),
  both: 'description: x\nstages: [spec, {checkpoint: Go on?}, build]',
  round: 'description: x\nstages: [round]',
  twice: 'description: x\nstages: [spec, spec]',
};

const file = (text: string) => ({ text, file: 'p.yaml' });
const read = (text: string): Pipeline => parsePipeline(name('p'), file(text), (stage) => file(FILES[stage] ?? ''));

const refusal = (text: string): string[] => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof UsageError && error.code === 'PLAN_INVALID') return error.message.split('\n');
    throw error;
  }
  return [];
};

describe('a pipeline', () => {
  it('a pipeline has its tasks in an executable order', () => {
    expect(read(FILES['build'] ?? '').tasks.map(({ code }) => code)).toEqual(['IMPL-001', 'TEST-001']);
  });

  it('each stage waits for all last tasks of the stage before it, with a checkpoint between them', () => {
    expect(read(FILES['both'] ?? '').tasks.map(({ code, role, after }) => [code, role, ...after])).toEqual([
      ['DRAFT-001', 'writer'],
      ['CHECKPOINT-001', null, 'DRAFT-001'],
      ['IMPL-001', 'executor', 'CHECKPOINT-001'],
      ['TEST-001', 'tester', 'IMPL-001'],
    ]);
  });

  const task = (rest: string) => `description: x\ntasks:\n  - {code: A-001, role: a, subject: s${rest}}`;

  it.each<[string, string, string]>([
    ['no tasks and no stages', 'description: x', 'p.yaml:1:1: A pipeline has either "tasks" or "stages".'],
    ['an unknown key', task(', afte: []'), 'p.yaml:3:40: Unknown key "afte"; did you mean "after"?'],
    ['an unknown blocker', task(', after: [A-002]'), 'There is no task "A-002"; did you mean "A-001"?'],
    ['a cycle', task(', after: [A-001]'), 'A-001 waits for itself.'],
    ['an unknown task to fix', task(', fix: B-001'), 'There is no task "B-001"'],
    ['an invalid code', task('').replace('A-001', 'a1'), 'Expected the code of a task: DRAFT-001.'],
    ['an artifact outside', task(', artifact: ../x'), 'Expected a path below the session folder.'],
    ['an absolute artifact', task(', artifact: /x'), 'Expected a path below the session folder.'],
    ['the same code twice', `${task('')}\n  - {code: A-001, role: a, subject: s}`, 'The code A-001 is used twice.'],
    ['itself as a stage', FILES['round'] ?? '', 'The pipeline round is a stage of itself.'],
    ['one stage twice', FILES['twice'] ?? '', 'Two stages have a task DRAFT-001.'],
    ['invalid YAML', 'tasks: [', 'p.yaml:1:'],
  ])('a pipeline is refused with %s, at its place', (_, text, sentence) => {
    expect(refusal(text)).toEqual(expect.arrayContaining([expect.stringContaining(sentence)]));
  });
});

describe('the roles of a pipeline', () => {
  const role = (of: string, ...prefixes: string[]): RoleSpec =>
    parseRoleSpec(parseName('role', of), {
      file: `${of}.md`,
      text: `---\nprefix: ${prefixes[0] ?? ''}\nadditional_prefixes: [${prefixes.slice(1).join(', ')}]\n---\n## Phase 3: Do\nIt.`,
    }).role;
  const of = (...roles: RoleSpec[]) => new Map(roles.map((one) => [one.name, one]));
  const text = 'description: x\ntasks: [{code: DEV-FE-001, role: dev, subject: s, discuss: DISCUSS-001}]';

  it('roles declare the prefixes and rounds of their tasks, and no other role declares a longer prefix', () => {
    expect(misfits(read(text), of(role('dev', 'DEV'), role('fe', 'DEV-FE')))).toEqual([
      'Pipeline p: DEV-FE-001 is given to dev, whose role declares DEV.',
      'Pipeline p: DEV-FE-001 has the round DISCUSS-001, which dev does not declare.',
    ]);
    expect(misfits(read(text.replace(', discuss: DISCUSS-001', '')), of(role('dev', 'DEV')))).toEqual([]);
  });
});
