/** Which texts of a verifier count as a verdict, and which do not. */
import { describe, expect, it } from 'vitest';
import { readVerificationVerdict } from '../../../src/model/agent/verification-verdict.ts';

describe('a verdict', () => {
  it.each<[string, string, 'pass' | 'fail', string[]]>([
    ['PASS alone', 'PASS', 'pass', []],
    ['PASS with a summary', 'PASS\r\nAll good.\n- tests exist', 'pass', []],
    [
      'FAIL with a list',
      'FAIL\n- no tests\n  * dead code\n1. typo\nand more',
      'fail',
      ['no tests', 'dead code', 'typo'],
    ],
    ['JSON that passes', '{"verdict":"PASS","notes":"fine"}', 'pass', []],
    ['JSON that fails', '{"verdict":"FAIL","issues":["a","b"]}', 'fail', ['a', 'b']],
    ['PASS in a sentence', 'PASS: all checks pass', 'fail', []],
    ['PASS in the second line', 'Verdict:\nPASS', 'fail', []],
    ['lower case', 'pass', 'fail', []],
    ['JSON of another shape', '{"verdict":"pass"}', 'fail', []],
    ['prose', 'Looks great to me!', 'fail', []],
    ['nothing', ' \n ', 'fail', []],
  ])('%s', (_, text, result, issues) => {
    expect(readVerificationVerdict(text)).toMatchObject({ result, issues });
  });
});
