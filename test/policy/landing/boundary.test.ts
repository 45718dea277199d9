import { describe, expect, it } from 'vitest';
import { boundaryAnswer, boundaryText, filesNamed } from '../../../src/policy/landing/boundary.ts';
import { name } from '../../support/team.ts';
import { World } from '../world.ts';

describe('the files that a text names', () => {
  it.each([
    ['I need to add an export to src/types/index.ts (your scope).', ['src/types/index.ts']],
    ['`a.ts`, "b/c" and ./d.json, please: a.ts!', ['a.ts', 'b/c', 'd.json']],
    ['nothing here, e.g. version 1.2 or etc.', []],
    ['../up.ts /etc/passwd', []],
    ['src/**', []],
  ])('%j', (text, files) => {
    expect(filesNamed(text)).toEqual(files);
  });
});

describe('the answer', () => {
  it.each([
    [{ granted: ['a', 'b'], refused: [] }, 'BOUNDARY GRANTED: a, b'],
    [{ granted: [], refused: ['No.'] }, 'BOUNDARY REFUSED: No.'],
    [{ granted: [], refused: [] }, 'BOUNDARY: name the files with their paths.'],
  ])('%#', (answer, text) => {
    expect(boundaryText(answer)).toBe(text);
  });
});

describe('the lead', () => {
  it('the lead grants an unowned file or one whose owner is done, never a shared file or one in use', () => {
    const own = (owner: string, file: string) => ({ owner, work: { files: [file] } });
    const { board } = new World({ members: ['ada', 'bob'], tasks: [own('ada', 'src/a/**'), own('bob', 'src/b.ts')] });
    const asked = 'src/a/x.ts, src/b.ts, new/one.ts, package.json';
    expect(boundaryAnswer(board, name('bob'), asked, ['package.json'])).toEqual({
      granted: ['src/b.ts', 'new/one.ts'],
      refused: [
        'src/a/x.ts belongs to ada, whose task #1 is not done: ask ada.',
        'package.json is a shared file: the lead gets your request and makes the change.',
      ],
      wished: ['package.json'],
    });
  });
});
