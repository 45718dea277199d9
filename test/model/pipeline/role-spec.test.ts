import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/model/text/errors.ts';
import { parseName } from '../../../src/model/text/names.ts';
import { parseRoleSpec, prefixProblems, type ReadRole } from '../../../src/model/pipeline/role-spec.ts';

const read = (text: string, name = 'writer'): ReadRole =>
  parseRoleSpec(parseName('role', name), { text, file: `${name}.md` });

const role = (name: string, ...head: string[]): ReadRole['role'] =>
  read(['---', ...head, '---', '## Phase 3: Work', 'Do it.'].join('\n'), name).role;

const refusal = (text: string): string[] => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof UsageError && error.code === 'ROLE_INVALID') return error.message.split('\n');
    throw error;
  }
  return [];
};

const WRITER = `---
prefix: DRAFT
inner_loop: true
additional_prefixes: [REWRITE]
discuss_rounds: [DISCUSS-002, DISCUSS-003]
perspectives: [product, coverage]
subagents: [discuss, doc-gen]
message_types: {success: draft_ready, error: error, fix: draft_revision}
artifact_check: {contains: ['## Scope']}
---

You write.

## Phase 2: Read what is there

Read it.

\`\`\`markdown
## Phase 4: not a heading
\`\`\`

## Phase 3 — Write
Write it.

### Steps
One.

## Phase 4: Look at it
`;

describe('a role file', () => {
  test('a role file has front matter, an introduction and phases', () => {
    const { role: writer, warnings } = read(WRITER);
    expect(warnings).toEqual([]);
    expect(writer).toMatchObject({
      prefixes: ['DRAFT', 'REWRITE'],
      innerLoop: true,
      discussRounds: ['DISCUSS-002', 'DISCUSS-003'],
      perspectives: ['product', 'coverage'],
      subagents: ['discuss', 'doc-gen'],
      messageTypes: { success: 'draft_ready', error: 'error', fix: 'draft_revision' },
      artifactCheck: { contains: ['## Scope'], json: false },
      prompt: 'You write.',
    });
    expect(writer.phases.map(({ phase, title }) => [phase, title])).toEqual([
      [2, 'Read what is there'],
      [3, 'Write'],
      [4, 'Look at it'],
    ]);
    expect(writer.phases[0]?.text).toContain('## Phase 4: not a heading');
    expect(writer.phases[1]?.text).toBe('Write it.\n\n### Steps\nOne.');
  });

  test('a role file of forge has a body as its prompt, and no phases', () => {
    const { role: reviewer } = read(
      '---\nread_only: true\ntier: opus\ncapabilities: [review, security]\n---\nYou look for holes.\n\n## How\nSlowly.\n',
    );
    expect(reviewer).toMatchObject({ readOnly: true, tier: 'opus', capabilities: ['review', 'security'], phases: [] });
    expect(reviewer.prompt).toBe('You look for holes.\n\n## How\nSlowly.');
  });

  test('a role file without front matter is only a prompt', () => {
    expect(read('Just work.\r\n').role).toMatchObject({ prompt: 'Just work.', prefixes: [], readOnly: false });
  });

  test.each<[string, string]>([
    ['prefx: DRAFT', 'writer.md:2:1: Unknown key "prefx"; did you mean "prefix"?'],
    ['message_types:\n  sucess: x', 'writer.md:3:3: Unknown key "sucess"; did you mean "success"?'],
  ])('an unknown key in a role file gives a warning: %s', (head, warning) => {
    const { role: writer, warnings } = read(`---\n${head}\n---\nWork.`);
    expect(warnings).toEqual([warning]);
    expect(writer.prompt).toBe('Work.');
  });

  test.each<[string, string, string]>([
    ['a wrong value', '---\nprefix: draft\n---\nWork.', 'writer.md:2:9: Expected a prefix of capital letters'],
    [
      'a wrong kind',
      '---\n\ninner_loop: maybe\n---\nWork.',
      'writer.md:3:13: Expected "inner_loop" to be true or false',
    ],
    ['an unknown subagent', '---\nsubagents: [dream]\n---\nWork.', 'writer.md:2:13: Expected'],
    ['YAML that cannot be read', '---\nprefix: [a\n---\nWork.', 'writer.md:3:'],
    ['a list as front matter', '---\n- a\n---\nWork.', 'writer.md:2:1: Expected this to be a map, got a list.'],
    ['no body', '---\nprefix: DRAFT\n---\n', 'writer.md:2:1: A role needs a body: what it is and how it works.'],
    ['an empty file', '', 'writer.md:1:1: A role needs a body'],
  ])('a role file is refused with %s, at its place', (_, text, sentence) => {
    expect(refusal(text)).toEqual([expect.stringContaining(sentence)]);
  });
});

describe('roles in one pipeline', () => {
  test('each role of a pipeline needs its own prefix', () => {
    expect(prefixProblems([role('writer', 'prefix: DRAFT'), role('tester', 'prefix: TEST')])).toEqual([]);
    expect(
      prefixProblems([
        role('writer', 'prefix: DRAFT'),
        role('editor', 'prefix: EDIT', 'additional_prefixes: [DRAFT]'),
        role('reader', 'tier: haiku'),
      ]),
    ).toEqual([
      'editor.md:1: The prefix DRAFT is declared by writer and by editor; one of them needs another.',
      'reader.md:1: The role reader has no "prefix", and a pipeline uses it; add for example `prefix: DRAFT`.',
    ]);
  });

  test('each role of a pipeline needs at least one phase', () => {
    const { role: plain } = read('---\nprefix: DRAFT\n---\nWork.');
    expect(prefixProblems([plain])).toEqual([
      'writer.md:1: The role writer has no phase, and a pipeline uses it; add `## Phase 3: …`.',
    ]);
  });
});
