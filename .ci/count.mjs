/**
 * node .ci/count.mjs [REPORT STATUS AGAIN]… — sums up vitest's JSON reports, each with the exit code of its run and the
 * report of the second run of its failed files (`-` without one). Prints each failed test with the first lines of its
 * error, likewise each test that failed once and passed then, and last `N passed, N failed`; exits with 1 if any failed.
 * A file that failed without a failed test counts as one failure. So does a run that failed without a failed test or
 * file: an error that came too late.
 */
import { count, failuresIn, readFiles } from './reports.mjs';

/** A failure again, where the end of a long output is all that can be read. */
function tell(word, { name, title, error }) {
  const lines = error.split('\n').slice(0, 12);
  console.log(
    [`${word} ${name}${title ? `: ${title}` : ''}`, ...lines.map((line) => `    ${line.slice(0, 300)}`)].join('\n'),
  );
}

/** Whether the second run shows that a failed test, or all of a failed file, passes. */
function passes({ name, title }, again) {
  const file = again.find((other) => other.name?.endsWith(name));
  if (file?.status !== 'passed') return false;
  return (
    title === undefined || file.assertionResults.some((test) => test.fullName === title && test.status === 'passed')
  );
}

const words = process.argv.slice(2);
let [passed, failed] = [0, 0];
for (let at = 0; at < words.length; at += 3) {
  const files = readFiles(words[at]);
  const again = readFiles(words[at + 2]) ?? [];
  const all = (files ?? []).flatMap(failuresIn);
  const unsteady = all.filter((failure) => passes(failure, again));
  const failures = all.filter((failure) => !unsteady.includes(failure));
  for (const failure of failures) tell('FAILED', failure);
  for (const failure of unsteady) tell('UNSTEADY (failed, then passed)', failure);
  const isUnseen = all.length === 0 && (files === undefined || words[at + 1] !== '0');
  passed += (files ?? []).reduce((sum, file) => sum + count(file.assertionResults, 'passed'), 0);
  passed += unsteady.filter(({ title }) => title !== undefined).length;
  failed += failures.length + (isUnseen ? 1 : 0);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
