/** Bullets of wisdom: what is one, what is the same one, and what an answer contributes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bulletOf, bulletsIn, newBullets, wisdomIn } from '../../../src/model/pipeline/wisdom-files.ts';

describe('a bullet', () => {
  it.each([
    ['plain', 'plain'],
    ['- marked', 'marked'],
    ['  * marked  twice ', 'marked twice'],
    ['two\nlines', 'two lines'],
    ['-dash without space', '-dash without space'],
    ['', ''],
  ])('of %j is %j', (text, bullet) => {
    expect(bulletOf(text)).toBe(bullet);
  });

  it('is in a file once, whoever wrote the file, and however it is written', () => {
    const file = '# Learnings\n\nProse.\n* old  one\r\n- two\n';
    expect(bulletsIn(file)).toEqual(['old one', 'two']);
    expect(newBullets(file, ['- old one', 'new', 'new ', ' ', 'Prose.'])).toEqual(['new', 'Prose.']);
  });

  it('that was added is not new again', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (texts) => {
        const added = newBullets('', texts);
        expect(newBullets(added.map((bullet) => `- ${bullet}\n`).join(''), texts)).toEqual([]);
      }),
    );
  });

  it('is found in an answer where a line says so, and nowhere else', () => {
    const answer = [
      'Done. WISDOM learnings: not at the start of a line',
      'WISDOM learnings: the tests need a server',
      '- WISDOM issues:  no retries',
      'WISDOM gossip: none of the four',
      'WISDOM decisions:',
    ].join('\n');
    expect(wisdomIn(answer)).toEqual([
      { file: 'learnings', text: 'the tests need a server' },
      { file: 'issues', text: 'no retries' },
    ]);
  });
});
