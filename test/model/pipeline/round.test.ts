/** A verdict in a reviewer's text is found wherever it is in the text, or refused. */
import { describe, expect, it } from 'vitest';
import { readReviewVerdict, verdictSchema } from '../../../src/model/pipeline/round.ts';

const VERDICT = {
  deliverables: [
    { name: 'a.md', accepted: true, safe: false, validation: 'skipped', reason: 'no tests', critique: 'x' },
  ],
  findings: [{ severity: 'major', text: 'no title', deliverable: 'a.md', where: 'a.md:1' }],
  summary: 'Nearly there.',
};
const JSON_TEXT = JSON.stringify(VERDICT);

describe('a verdict', () => {
  it.each([
    ['alone', JSON_TEXT],
    ['with space around it', `\n  ${JSON.stringify(VERDICT, null, 2)}  \n`],
    ['in a fenced block', `Here it is:\n\`\`\`json\n${JSON_TEXT}\n\`\`\`\nThat is all.`],
    ['in the last of several blocks', `\`\`\`\n{"not": "it"}\n\`\`\`\nbut\n\`\`\`\n${JSON_TEXT}\n\`\`\``],
    ['in the middle of prose', `I think: ${JSON_TEXT} - so much for that.`],
    ['with unknown keys', JSON.stringify({ ...VERDICT, mood: 'fine' })],
  ])('a verdict is found %s', (_, answer) => {
    expect(readReviewVerdict(answer)).toEqual({ ok: true, verdict: VERDICT });
  });

  it.each([
    ['nothing', ''],
    ['praise', 'Looks good to me!'],
    ['a brace in prose', 'Use { and } here'],
    ['half an object', JSON_TEXT.slice(0, -2)],
    ['no deliverable', JSON.stringify({ ...VERDICT, deliverables: [] })],
    ['no summary', JSON.stringify({ ...VERDICT, summary: ' ' })],
    ['an unknown severity', JSON.stringify({ ...VERDICT, findings: [{ severity: 'bad', text: 'x' }] })],
    [
      'a word instead of true',
      JSON.stringify({ ...VERDICT, deliverables: [{ ...VERDICT.deliverables[0], accepted: 'yes' }] }),
    ],
  ])('a verdict is not %s', (_, answer) => {
    expect(readReviewVerdict(answer)).toHaveProperty('why', expect.stringMatching(/\S/));
  });

  it('a verdict needs no findings, reasons or critiques', () => {
    const least = { deliverables: [{ name: 'a', accepted: true, safe: true, validation: 'passed' }], summary: 'ok' };
    expect(verdictSchema.parse(least)).toMatchObject({ findings: [], deliverables: [{ reason: '', critique: '' }] });
  });
});
