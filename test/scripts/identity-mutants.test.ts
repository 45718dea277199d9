/** That each error of `npm run test:mutants` can be made in the code as it is. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import * as z from 'zod';

const ROOT = join(import.meta.dirname, '../..');
const LIST = pathToFileURL(join(ROOT, 'scripts/identity-mutants.mjs')).href;

const mutants = z.array(
  z.object({ name: z.string(), file: z.string(), test: z.string(), from: z.string(), title: z.string().optional() }),
);

it('each error in the list replaces a text that its file has once, and its test is there', () => {
  const code = `import { IDENTITY_MUTANTS as all } from '${LIST}'; console.log(JSON.stringify(all));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const stale = mutants.parse(JSON.parse(said)).flatMap(({ name, file, test, from, title = '' }) => {
    const isThere = existsSync(join(ROOT, test)) && read(test).includes(title);
    return isThere && read(file).split(from).length === 2 ? [] : [name];
  });
  expect(stale).toEqual([]);
});
