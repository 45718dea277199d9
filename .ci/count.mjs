/**
 * node .ci/count.mjs [RESULTS STATUS]… — prints each failed test with the first lines of its error, then
 * `N passed, N failed` summed over vitest's JSON reports, each with the exit code of its run. A file that failed without a failed test counts as one failure. So does a run that failed
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

/** The failed tests of a file again, where the end of a long output is all that can be read. */
function tell(file) {
  const name = (file.name ?? 'a file').replace(/^.*?(?=test\/)/, '');
  for (const test of file.assertionResults.filter(({ status }) => status === 'failed')) {
    const lines = (test.failureMessages ?? []).join('\n').split('\n').slice(0, 12);
    console.log([`FAILED ${name}: ${test.fullName}`, ...lines.map((line) => `    ${line.slice(0, 300)}`)].join('\n'));
  }
  if (failedIn(file) > count(file.assertionResults, 'failed'))
    console.log(`FAILED ${name}: ${String(file.message).slice(0, 1000)}`);
}

const words = process.argv.slice(2);
let [passed, failed] = [0, 0];
for (let at = 0; at < words.length; at += 2) {
  const report = read(words[at]);
  const files = report?.testResults ?? [];
  const failures = files.reduce((sum, file) => sum + failedIn(file), 0);
  files.forEach(tell);
  const isUnseen = failures === 0 && (report === undefined || words[at + 1] !== '0');
  passed += files.reduce((sum, file) => sum + count(file.assertionResults, 'passed'), 0);
  failed += failures + (isUnseen ? 1 : 0);
}
console.log(`${passed} passed, ${failed} failed`);
