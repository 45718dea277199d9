/**
 * node .ci/count.mjs [RESULTS STATUS]… — prints `N passed, N failed` summed over vitest's JSON reports, each with the
 * exit code of its run. A file that failed without a failed test counts as one failure. So does a run that failed
 * without a failed test or file: an error that came too late.
 */
import { readFileSync } from 'node:fs';

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // The run ended before it could report.
  }
}

const count = (tests, wanted) => tests.filter((test) => test.status === wanted).length;
const failedIn = (file) => count(file.assertionResults, 'failed') || (file.status === 'failed' ? 1 : 0);

const words = process.argv.slice(2);
let [passed, failed] = [0, 0];
for (let at = 0; at < words.length; at += 2) {
  const report = read(words[at]);
  const files = report?.testResults ?? [];
  const failures = files.reduce((sum, file) => sum + failedIn(file), 0);
  const isUnseen = failures === 0 && (report === undefined || words[at + 1] !== '0');
  passed += files.reduce((sum, file) => sum + count(file.assertionResults, 'passed'), 0);
  failed += failures + (isUnseen ? 1 : 0);
}
console.log(`${passed} passed, ${failed} failed`);
