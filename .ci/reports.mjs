/** Reads vitest's JSON reports for the scripts beside it. */
import { readFileSync } from 'node:fs';

/** Of one run, at most so many failed tests are tried again: more are no accident. */
export const AGAIN_AT_MOST = 3;

/** @returns the report's files, or undefined if the run ended before it could report */
export function readFiles(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).testResults;
  } catch {
    return undefined;
  }
}

export const count = (tests, wanted) => tests.filter((test) => test.status === wanted).length;

/**
 * The failures of a file, each with its title and its error. A file that failed without a failed test is one failure
 * without a title.
 */
export function failuresIn(file) {
  const name = (file.name ?? 'a file').replace(/^.*?(?=test\/)/, '');
  const failed = file.assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length > 0)
    return failed.map(({ fullName, failureMessages }) => ({
      name,
      title: fullName,
      error: (failureMessages ?? []).join('\n'),
    }));
  return file.status === 'failed' ? [{ name, title: undefined, error: String(file.message) }] : [];
}
