/**
 * node .ci/again.mjs REPORT — prints the test files that are to run once more, one a line: those with a failed test.
 * None if more failed than can be accidents (docs/decisions/066-a-test-that-fails-once.md).
 */
import { AGAIN_AT_MOST, failuresIn, readFiles } from './reports.mjs';

const failures = (readFiles(process.argv[2]) ?? []).flatMap(failuresIn);
if (failures.length <= AGAIN_AT_MOST) for (const name of new Set(failures.map(({ name }) => name))) console.log(name);
