/** The line of an output that says how a command ended, on what the programs print whose failures people meet. */
import { describe, expect, it } from 'vitest';
import { failureLine, successLine } from '../../../src/model/text/telling-line.ts';

const ofStdout = (...lines: string[]) => failureLine({ stdout: lines.join('\n'), stderr: '' });
const ofStderr = (...lines: string[]) => failureLine({ stdout: '', stderr: lines.join('\n') });

describe('the line that says what failed', () => {
  it('is the failed test of pytest, not its last rule', () => {
    const line = ofStdout(
      '=================================== FAILURES ===================================',
      'E       assert -1 == 3',
      '=========================== short test summary info ============================',
      'FAILED tests/test_total.py::test_total - assert -1 == 3',
      '========================= 1 failed, 1 passed in 0.05s ==========================',
    );
    expect(line).toBe('FAILED tests/test_total.py::test_total - assert -1 == 3');
  });

  it('is the exception where pytest could not collect the tests', () => {
    const line = ofStdout(
      '_____________________ ERROR collecting tests/test_total.py _____________________',
      'E     File "/project/test_total.py", line 1',
      "E   ModuleNotFoundError: No module named 'pricing'",
      'ERROR tests/test_total.py',
      '=============================== 1 error in 1.16s ===============================',
    );
    expect(line).toBe("ModuleNotFoundError: No module named 'pricing'");
  });

  it('is the failed test of node --test with its error, not what npm says after it', () => {
    const line = failureLine({
      stdout: ['# Subtest: adds', 'ok 1 - early', 'not ok 2 - adds', '  ---', "  error: '2 == 3'", '# fail 1'].join(
        '\n',
      ),
      stderr: 'npm error Lifecycle script `test` failed with error:\nnpm error command sh -c node --test\n',
    });
    expect(line).toBe('not ok 2 - adds: 2 == 3');
  });

  it('is no test that may fail', () => {
    expect(ofStdout('not ok 1 - later # TODO', 'gave up')).toBe('gave up');
  });

  it('is the test and the assertion of a runner that draws', () => {
    const line = ofStdout(
      '\u001b[31m✖ adds (2.69ms)\u001b[39m',
      '  AssertionError [ERR_ASSERTION]: 2 == 3',
      'ℹ tests 2',
      '✖ failing tests:',
    );
    expect(line).toBe('✖ adds (2.69ms): AssertionError [ERR_ASSERTION]: 2 == 3');
    expect(ofStdout('--- FAIL: TestAdd (0.00s)', '    add_test.go:7: got 3', 'FAIL', 'exit status 1')).toBe(
      '--- FAIL: TestAdd (0.00s): got 3',
    );
    expect(ofStdout('running 1 test', 'test adds ... FAILED', 'test result: FAILED. 0 passed')).toBe(
      'test adds ... FAILED',
    );
    expect(ofStderr('FAIL: test_a (main.T)', '-----', 'AssertionError: 1 != 2', '', 'FAILED (failures=1)')).toBe(
      'FAIL: test_a (main.T): AssertionError: 1 != 2',
    );
  });

  it('is the first error of a compiler, and the exception at the end of a program', () => {
    expect(ofStderr("b.c:2:29: error: expected ';'", 'b.c:9:1: error: too', 'make: *** [Makefile:6: b] Error 1')).toBe(
      "b.c:2:29: error: expected ';'",
    );
    expect(ofStdout("x.ts(1,7): error TS2322: Type 'string' …", 'Found 1 error.')).toBe(
      "x.ts(1,7): error TS2322: Type 'string' …",
    );
    expect(ofStdout('/p/x.js', "  3:5  error  'x' is not defined  no-undef", '✖ 1 problem (1 error)')).toBe(
      "3:5  error  'x' is not defined  no-undef",
    );
    expect(ofStderr('ValueError: boom', 'During handling …', 'RuntimeError: outer')).toBe('RuntimeError: outer');
    expect(ofStderr('Error: boom', '    at [eval]:1:7', '', 'Node.js v20.20.2')).toBe('Error: boom');
  });

  it('is else the last line, of stderr before stdout, without rules and without what says nothing', () => {
    expect(failureLine({ stdout: 'out\n', stderr: 'sh: 1: foo: not found\n' })).toBe('sh: 1: foo: not found');
    expect(ofStdout('one', '=== 3 of 4 done ===', '------')).toBe('3 of 4 done');
    expect(ofStderr('npm error code 1', 'npm error path /p')).toBe('npm error path /p');
    expect(ofStderr('npm error Missing script: "foo"', 'npm error code 1')).toBe('npm error Missing script: "foo"');
    expect(ofStdout('10%\r20%\rstopped')).toBe('stopped');
    expect(ofStdout('')).toBeUndefined();
  });
});

describe('the line that says what a successful command did', () => {
  it('is the count of the tests, else the last line', () => {
    expect(successLine('# tests 3\n# pass 3\n# fail 0\n# duration_ms 5')).toBe('pass 3');
    expect(successLine(' Test Files  2 passed (2)\n      Tests  7 passed (7)\n   Duration  1s')).toBe(
      'Tests  7 passed (7)',
    );
    expect(successLine('\n> build\n> tsc -p .\n\nbuilt a\n')).toBe('built a');
    expect(successLine('==== 2 passed in 0.05s ====')).toBe('2 passed in 0.05s');
    expect(successLine('')).toBeUndefined();
  });
});
