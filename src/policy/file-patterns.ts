/**
 * Matches the file patterns of tasks: a path, a directory with its whole content, or a glob. All are relative to the
 * working directory.
 */
import picomatch from 'picomatch';
import { withoutEnd } from '../model/text/repeated-characters.ts';

/** @returns a function that says whether a path (separator `/`) matches one of the patterns */
export function matcher(patterns: readonly string[]): (path: string) => boolean {
  const clean = patterns.map((pattern) => withoutEnd(pattern.replace(/^(?:\.\/)+/, ''), '/')).filter(Boolean);
  if (clean.some((pattern) => pattern === '.')) return () => true;
  const isOne = picomatch(
    clean.flatMap((pattern) => [pattern, `${pattern}/**`]),
    { dot: true },
  );
  const literal = new Set(clean);
  return (path) => clean.length > 0 && (literal.has(path) || isOne(path));
}
