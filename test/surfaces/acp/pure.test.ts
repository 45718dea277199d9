/** What an editor is shown, as functions of what there is: a prompt's words, and the plan of a board. */
import { describe, expect, test } from 'vitest';
import type { Task } from '../../../src/model/board/task.ts';
import { planEntries } from '../../../src/surfaces/acp/plan-entries.ts';
import { promptText } from '../../../src/surfaces/acp/prompt-text.ts';
import { world } from '../../policy/world.ts';

const link = (uri: string) => ({ type: 'resource_link' as const, uri, name: 'x' });

describe('the words of a prompt', () => {
  test.each<[string, Parameters<typeof promptText>[0], string]>([
    ['text', [{ type: 'text', text: ' mend it ' }], 'mend it'],
    [
      'a link to a file is its path',
      [{ type: 'text', text: 'mend ' }, link('file:///src/a%20b.ts')],
      'mend /src/a b.ts',
    ],
    ['any other link is itself', [link('https://example.org/a')], 'https://example.org/a'],
    ['a broken link is itself', [link('file://host%zz/a')], 'file://host%zz/a'],
    [
      'an embedded file is named, and its text follows',
      [
        { type: 'text', text: 'mend ' },
        { type: 'resource', resource: { uri: 'file:///a.ts', text: 'let a;' } },
      ],
      'mend /a.ts\n\n== /a.ts ==\nlet a;',
    ],
    [
      'an embedded file of bytes is named',
      [{ type: 'resource', resource: { uri: 'file:///a.png', blob: 'AA==' } }],
      '/a.png',
    ],
    ['images and sounds are left out', [{ type: 'image', data: 'AA==', mimeType: 'image/png' }], ''],
  ])('%s', (_, blocks, text) => expect(promptText(blocks)).toBe(text));
});

describe('the plan of a board', () => {
  const shown = (tasks: Iterable<Task>): string[] =>
    planEntries(tasks).map(({ status, priority, content }) => `${status} ${priority} ${content}`);

  test('each task is an entry with who has it, and how it ended', () => {
    const team = world({
      members: ['ada', 'bob'],
      tasks: [{ owner: 'ada' }, { owner: 'bob' }, {}, { required: false }],
    });
    team.claim('ada', '1');
    team.complete('ada', '1');
    team.claim('bob', '2');
    expect(shown(team.board.tasks.values())).toEqual([
      expect.stringMatching(/^completed high #1 .* \(ada\)$/),
      expect.stringMatching(/^in_progress high #2 .* \(bob\)$/),
      expect.stringMatching(/^pending high #3 [^()]*$/),
      expect.stringMatching(/^pending medium #4 [^()]*$/),
    ]);
  });

  test('a large board is cut: what is done is one entry, what goes on comes first, the rest is counted', () => {
    const team = world({ claim: 'auto', members: ['ada', 'bob'], tasks: Array.from({ length: 150 }, () => ({})) });
    team.claim('ada', '1');
    team.complete('ada', '1');
    team.claim('bob', '120');
    const plan = shown(team.board.tasks.values());
    expect(plan).toHaveLength(100);
    expect(plan[0]).toBe('completed medium … 1 completed');
    expect(plan[1]).toMatch(/^in_progress high #120 /);
    expect(plan.at(-1)).toBe('pending medium … 51 more');
  });
});
