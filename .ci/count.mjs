/**
 * node .ci/count.mjs RESULTS STATUS — prints `N passed, N failed` from vitest's JSON report. A file that failed without
 * a failed test counts as one failure. So does a run that failed without a failed test or file: an error that came too
 * late.
 */
import { readFileSync } from 'node:fs';

const [path, status] = process.argv.slice(2);

function read() {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // The run ended before it could report.
  }
}

const report = read();
const testResults = report?.testResults ?? [];
const count = (tests, wanted) => tests.filter((test) => test.status === wanted).length;
const failedIn = (file) => count(file.assertionResults, 'failed') || (file.status === 'failed' ? 1 : 0);

const passed = testResults.reduce((sum, file) => sum + count(file.assertionResults, 'passed'), 0);
const failed = testResults.reduce((sum, file) => sum + failedIn(file), 0);
const unseen = failed === 0 && (report === undefined || status !== '0') ? 1 : 0;
console.log(`${passed} passed, ${failed + unseen} failed`);
