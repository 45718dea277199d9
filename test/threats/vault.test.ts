/**
 * The team's own git repository (`vault.git`) lies in the team's folder, which git ignores: a pull can overwrite what is
 * in it. Its configuration is believed only as it was made.
 */
import { appendFileSync, cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scene } from '../support/tree-scene.ts';

const filter = (vault: string): string =>
  `[filter "x"]\n\tclean = "touch ${join(vault, '../../../../owned')}; cat"\n\trequired = true\n`;

it.each<[string, (vault: string) => void]>([
  [
    'a configuration with a filter',
    (vault) => {
      appendFileSync(join(vault, 'config'), filter(vault));
      writeFileSync(join(vault, 'info/attributes'), '* filter=x\n');
    },
  ],
  [
    'another common directory with one',
    (vault) => {
      const other = `${vault}-other`;
      cpSync(vault, other, { recursive: true });
      appendFileSync(join(other, 'config'), filter(vault));
      for (const place of [vault, other]) writeFileSync(join(place, 'info/attributes'), '* filter=x\n');
      writeFileSync(join(vault, 'commondir'), `${other}\n`);
    },
  ],
  [
    'an included configuration with one',
    (vault) => {
      writeFileSync(join(vault, 'more'), filter(vault));
      appendFileSync(join(vault, 'config'), '[include]\n\tpath = more\n');
      writeFileSync(join(vault, 'info/attributes'), '* filter=x\n');
    },
  ],
])("%s that a pull brings into the team's repository runs nothing", async (_, plant) => {
  const { at, place, teams } = scene({ tasks: [{ subject: 'Work', run: 'date >>made.txt; exit 1' }] });
  const owned = join(place.root, 'owned');
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(1);
  plant(join(at, '.teams/p/vault.git'));
  const said = await teams('resume', 'p', '--retry-failed');
  const applied = await teams('apply', 'p');
  expect(existsSync(owned)).toBe(false);
  expect([said.code === 0, `${said.out}${said.err}${applied.out}${applied.err}`]).toEqual([
    false,
    expect.stringContaining('was changed by another program'),
  ]);
});
