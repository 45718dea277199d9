/**
 * File patterns as tasks name them: a path, a directory with all that is in it, or a glob, relative to the working
 * directory.
 */
import picomatch from 'picomatch';

/** @returns whether a path, with `/` between its parts, is one of those */
export function matcher(patterns: readonly string[]): (path: string) => boolean {
  const clean = patterns.map((pattern) => pattern.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '')).filter(Boolean);
  if (clean.some((pattern) => pattern === '.')) return () => true;
  const isOne = picomatch(
    clean.flatMap((pattern) => [pattern, `${pattern}/**`]),
    { dot: true },
  );
  const literal = new Set(clean);
  return (path) => clean.length > 0 && (literal.has(path) || isOne(path));
}
