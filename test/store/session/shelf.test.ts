import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../src/model/text/errors.ts';
import { readShelf, requireShelfEntry, trustShelves } from '../../../src/store/session/shelf.ts';
import { tempDir } from '../../support/temp.ts';

function shelf(): { root: string; shipped: string; own: string } {
  const root = tempDir();
  const [shipped, own] = [join(root, 'package'), join(root, '.teams', 'roles')];
  for (const folder of [shipped, own]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(shipped, 'writer.md'), 'shipped');
  writeFileSync(join(shipped, 'tester.md'), 'shipped');
  return { root, shipped, own };
}

const failure = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return { code: codeOf(error), message: error instanceof Error ? error.message : '' };
  }
  return undefined;
};

describe('a shelf', () => {
  test('a shelf gives the shipped files, and suggests a name for an unknown one', () => {
    const { root, shipped } = shelf();
    const roles = readShelf(root, 'roles', shipped);
    expect([...roles.keys()]).toEqual(['tester', 'writer']);
    expect(requireShelfEntry(roles, 'roles', 'writer')).toMatchObject({ text: 'shipped', from: 'package' });
    expect(failure(() => requireShelfEntry(roles, 'roles', 'writr'))).toMatchObject({
      message: 'There is no role "writr"; did you mean "writer"? Known are tester, writer.',
    });
  });

  test("a project's file replaces the shipped one of the same name, once its user trusts its content", () => {
    const { root, shipped, own } = shelf();
    const file = join(own, 'writer.md');
    writeFileSync(file, 'own');
    const take = (): unknown => requireShelfEntry(readShelf(root, 'roles', shipped), 'roles', 'writer');
    expect(failure(take)).toMatchObject({ code: 'UNTRUSTED' });
    expect(trustShelves(root)).toBe(1);
    expect(take()).toMatchObject({ text: 'own', from: 'project' });
    writeFileSync(file, 'changed');
    expect(failure(take)).toMatchObject({ code: 'UNTRUSTED' });
  });

  test('a shelf ignores files of another kind', () => {
    const { root, shipped, own } = shelf();
    for (const name of ['notes.txt', 'Bad Name.md', '.hidden.md']) writeFileSync(join(own, name), 'x');
    mkdirSync(join(own, 'folder.d'));
    expect([...readShelf(root, 'roles', shipped).keys()]).toEqual(['tester', 'writer']);
  });
});
