/** The files of a change are judged by its commit: its record names a thousand of them at most. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scene } from '../support/tree-scene.ts';

it('a file of nobody in a change of more files than its record names sends it back', async () => {
  const run =
    'mkdir aaa && for n in $(seq 1000); do echo $n > aaa/$n; done; test -e ../../../../known || echo 1 > zzz.txt';
  const { at, teams, landed } = scene({
    tasks: [{ subject: 'One', owner: 'ada', files: ['aaa'], run: `${run}; touch ../../../../known` }],
    gates: { ownership: true },
  });
  const { out, err } = await teams('run', 'p.json', '--quiet');
  const log = readFileSync(join(at, '.tasks/p/log.jsonl'), 'utf8');
  expect(log.includes('zzz.txt is not among the files of the task'), `${out}${err}`).toBe(true);
  expect(landed('aaa/1000')).toBe('1000\n');
  expect(() => landed('zzz.txt')).toThrow();
});
