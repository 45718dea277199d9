/** Bullets of the wisdom files: which lines are bullets, which bullets are equal, and which ones an answer adds. */
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
  ])('the bullet of %j is %j', (text, bullet) => {
    expect(bulletOf(text)).toBe(bullet);
  });

  it('a bullet is added once, whoever wrote the first one and however it is written', () => {
    const file = '# Learnings\n\nProse.\n* old  one\r\n- two\n';
    expect(bulletsIn(file)).toEqual(['old one', 'two']);
    expect(newBullets(file, ['- old one', 'new', 'new ', ' ', 'Prose.'])).toEqual(['new', 'Prose.']);
  });

  it('an added bullet is not new again', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (texts) => {
        const added = newBullets('', texts);
        expect(newBullets(added.map((bullet) => `- ${bullet}\n`).join(''), texts)).toEqual([]);
      }),
    );
  });

  it('an answer adds a bullet only by a line that says so', () => {
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
