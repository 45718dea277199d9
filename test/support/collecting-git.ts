/**
 * A git whose user collects garbage at the worst moment: `PATH: collectingGit(place, at, 'update-ref').path` runs
 * `git gc --prune=now` in the project before each of our own git processes, or before those with one of these words.
 * What git calls by itself, in a fetch say, does not come by here.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workplace } from './cli.ts';

interface CollectingGit {
  /** For the environment of a process or a test. */
  readonly path: string;
  /** What the gc said, line by line; empty if it was always content. */
  readonly trouble: () => string;
  /** How often it ran. */
  readonly runs: () => number;
}

export async function collectingGit(place: Workplace, at: string, ...before: string[]): Promise<CollectingGit> {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const collect = `env -i PATH="$PATH" HOME=/ GIT_CONFIG_NOSYSTEM=1 '${real}' -C '${at}' gc --quiet --prune=now`;
  const [trouble, runs] = [join(place.root, 'gc-trouble'), join(place.root, 'gc-runs')];
  const when = before.length === 0 ? '*' : before.map((word) => `*" ${word} "*`).join('|');
  place.put(
    'collecting/git',
    `#!/bin/sh
case " $* " in ${when})
  echo >>'${runs}'
  ${collect} 2>>'${trouble}' || echo failed >>'${trouble}';;
esac
exec '${real}' "$@"
`,
  );
  await place.shell('chmod +x collecting/git');
  const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  return {
    path: `${join(place.root, 'collecting')}:${process.env['PATH'] ?? ''}`,
    trouble: () => textOf(trouble),
    runs: () => textOf(runs).length,
  };
}
