import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadedPackages } from '../../../src/store/workspace/loaded-packages.ts';
import { tempDir } from '../../support/temp.ts';

it('names what is installed of some packages, and all that these depend on', () => {
  const root = tempDir();
  const [near, far] = [join(root, 'own/node_modules'), join(root, 'node_modules')];
  const install = (folder: string, name: string, manifest: object | string): void => {
    mkdirSync(join(folder, name), { recursive: true });
    const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
    writeFileSync(join(folder, name, 'package.json'), text);
  };
  install(far, 'a', { dependencies: { b: '1', missing: '1', '../../up': '1', '.bin': '1' } });
  install(near, 'b', { optionalDependencies: { c: '1' }, peerDependencies: { a: '1' } });
  install(far, 'b', { dependencies: { d: '1' } });
  install(far, 'c', 'not JSON');
  install(far, 'd', { dependencies: ['e'] });
  install(far, '@scope/one', { dependencies: { '@other/x': '1' } });
  install(far, '@other/x', {});
  install(far, '@other/y', {});
  install(far, 'e', {});
  const found = loadedPackages([near, far], ['a', '@scope', 'absent']).map((path) => path.slice(root.length + 1));
  expect(found.sort()).toEqual(
    ['@other/x', '@scope', 'a', 'b', 'c', 'd'].map((name) => `node_modules/${name}`).concat('own/node_modules/b'),
  );
});

it('finds what lies beside the place to which a link of an installer leads', () => {
  const root = tempDir();
  const [top, store] = [join(root, 'node_modules'), join(root, 'node_modules/.pnpm/a@1/node_modules')];
  for (const name of ['a', '@s/b']) mkdirSync(join(store, name), { recursive: true });
  writeFileSync(join(store, 'a/package.json'), JSON.stringify({ dependencies: { '@s/b': '1', a: '1' } }));
  writeFileSync(join(store, '@s/b/package.json'), '{}');
  symlinkSync(join(store, 'a'), join(top, 'a'));
  expect(loadedPackages([top], ['a'])).toEqual([join(top, 'a'), join(store, '@s/b'), join(store, 'a')]);
});
