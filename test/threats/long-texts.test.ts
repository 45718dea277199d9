/**
 * What members say and write is read in time that grows with its length. A pattern that tries each place of a long run
 * takes the square: a megabyte of line breaks would stop a process for many minutes.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readVerificationVerdict } from '../../src/model/agent/verification-verdict.ts';
import { readReviewVerdict } from '../../src/model/pipeline/round.ts';
import { bulletOf, wisdomIn } from '../../src/model/pipeline/wisdom-files.ts';
import { readFrontMatter } from '../../src/model/text/front-matter.ts';
import { visibleText, printedLine, shownPath } from '../../src/model/text/safe-text.ts';
import { failureLine, successLine } from '../../src/model/text/telling-line.ts';
import { tomlOutline } from '../../src/model/text/toml-outline.ts';
import { bytesOf, clip } from '../../src/policy/context-budget.ts';
import { filesNamed } from '../../src/policy/landing/boundary.ts';
import { parsePermissionAnswer } from '../../src/policy/permission-answer.ts';
import { improvementsIn } from '../../src/policy/pipeline/improvement.ts';
import { keyDecisions } from '../../src/policy/pipeline/role-wording.ts';
import { oneSentence } from '../../src/policy/refine/round-brief.ts';
import { protectedBy } from '../../src/policy/sandbox/workspace-path.ts';
import { namedImages } from '../../src/runtime/tools/named-images.ts';
import { gitSignpost } from '../../src/store/workspace/repositories.ts';
import { isLinear } from '../support/linear.ts';
import { tempDir } from '../support/temp.ts';

const LENGTH = 96 * 1024;
const UNITS = [
  'a',
  'A',
  '9',
  'é',
  ' ',
  '\n',
  '\r\n',
  '\t',
  ' \n',
  '\n ',
  'a ',
  ' a',
  'a\n',
  '-',
  '- ',
  '\n- ',
  '.',
  '. ',
];
const MORE = [
  '..',
  '/',
  './',
  'a/',
  'a.',
  ':',
  'a:',
  '@',
  '_',
  '`',
  '```',
  '```\n',
  '"',
  '\\',
  '[',
  '(',
  '{',
  '{"a":',
  '#',
  '# ',
];
const WORDS = [
  'error',
  'error: ',
  ' error',
  'passed',
  'Tests 1 ',
  'WISDOM ',
  'WISDOM learnings: ',
  'IMPROVE: ',
  'a.png',
  'x=',
];

/** Each ends with a character that a run does not have, so that no pattern holds at its end. */
const texts = (length: number): [string, string][] =>
  [...UNITS, ...MORE, ...WORDS].map((unit) => [
    unit,
    `${unit.repeat(Math.ceil(length / unit.length)).slice(0, length)}\u0001!`,
  ]);

/** A repository whose configuration is this text. */
function signpost(text: string): string {
  const root = tempDir();
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.git', 'config'), text);
  return gitSignpost(root);
}

it.each<[string, (text: string) => unknown]>([
  ['wisdom in an answer', wisdomIn],
  ['a bullet of wisdom', bulletOf],
  ['improvements in an answer', improvementsIn],
  ['decisions in a summary', keyDecisions],
  ['the verdict of a reviewer', readReviewVerdict],
  ['the verdict of a verifier', readVerificationVerdict],
  ['the summary of a verdict', oneSentence],
  ['files that a message to the lead names', filesNamed],
  ['images that a prompt names', (text) => namedImages('/nowhere', text)],
  ['the line that tells why a command failed', (text) => failureLine({ stdout: text, stderr: text })],
  ['the line that tells what passed', successLine],
  ['a path for a tool', (text) => protectedBy(text, 'write')],
  ['a permission answer', parsePermissionAnswer],
  ['a text that is clipped', (text) => bytesOf(clip(text, 1_000))],
  ['a text that people print', (text) => [visibleText(text), printedLine(text), shownPath(text)]],
  ['front matter', (text) => refusedOr(() => readFrontMatter(`---\n${text}\n---\n`, 'x.md'))],
  ['TOML of a host', tomlOutline],
  // A longer one is not read.
  ['the configuration of a repository', (text) => signpost(text.slice(0, text.length / 2))],
])('%s', { timeout: 120_000 }, (_, read) => {
  const [whole, quarter] = [texts(LENGTH), texts(LENGTH / 4)];
  for (const [at, [unit, text]] of whole.entries()) {
    const isIn = isLinear((size) => void read(size === 'whole' ? text : (quarter[at]?.[1] ?? '')));
    expect({ unit, isIn }).toEqual({ unit, isIn: true });
  }
});

/** A document that is refused in a sentence was read, too. */
function refusedOr(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    expect(error).toMatchObject({ class: 'UsageError' });
  }
}
