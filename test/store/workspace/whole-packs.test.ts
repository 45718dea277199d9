/** Packs of git come into a repository whole and locked, or not at all. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyObjects, putPacks, removeObjects } from '../../../src/store/workspace/whole-packs.ts';
import { tempDir } from '../../support/temp.ts';

const pack = (at: string, id: string, parts = ['pack', 'idx']): void => {
  for (const part of parts) writeFileSync(join(at, 'pack', `pack-${id}.${part}`), `${id} ${part}`);
};

function places(): { from: string; to: string; names: () => string[] } {
  const root = tempDir();
  const [from, to] = [join(root, 'apart'), join(root, 'objects')];
  emptyObjects(from);
  mkdirSync(join(to, 'pack'), { recursive: true });
  return { from, to, names: () => readdirSync(join(to, 'pack')).toSorted() };
}

it('a pack is locked until it is unlocked, and what git had not ended is left out', () => {
  const { from, to, names } = places();
  pack(from, 'ab');
  writeFileSync(join(from, 'pack/tmp_pack_x'), 'half');
  const unlock = putPacks(from, to, 'me');
  expect(names()).toEqual(['pack-ab.idx', 'pack-ab.keep', 'pack-ab.pack']);
  removeObjects(from);
  expect(existsSync(from)).toBe(false);
  expect(readFileSync(join(to, 'pack/pack-ab.pack'), 'utf8')).toBe('ab pack');
  unlock();
  expect(names()).toEqual(['pack-ab.idx', 'pack-ab.pack']);
});

it('a lock of somebody else stays, and one that a killed process of the same name left goes', () => {
  const { from, to, names } = places();
  for (const id of ['aa', 'bb', 'cc']) pack(from, id);
  writeFileSync(join(to, 'pack/pack-aa.keep'), "a person's");
  writeFileSync(join(to, 'pack/pack-dd.keep'), 'teams me\n');
  writeFileSync(join(to, 'pack/pack-ee.keep'), 'teams you\n');
  putPacks(from, to, 'me')();
  expect(names().filter((name) => name.endsWith('.keep'))).toEqual(['pack-aa.keep', 'pack-ee.keep']);
});

it('nothing of it is left where one file cannot be put', () => {
  const { from, to, names } = places();
  pack(from, 'ab', ['pack']);
  // Neither a link nor a copy can be made of it.
  mkdirSync(join(from, 'pack/pack-ab.idx'));
  expect(() => putPacks(from, to, 'me')).toThrow();
  expect(names()).toEqual([]);
});
