/**
 * Which member may write which file: one owner for each, shared files to the lead, boundary files to the most relevant
 * member.
 */
import { describe, expect, it } from 'vitest';
import { divide } from '../../../src/policy/divide/file-ownership.ts';

const REAL = [
  'package.json',
  'src/api/index.ts',
  'src/api/users.ts',
  'src/auth/login.ts',
  'src/auth/types.ts',
  'yarn.lock',
];
const NONE = { shared: [], boundary: [] };

const asking = (...files: string[][]) => files.map((own) => ({ files: own, text: '', after: [] }));

describe('the division of files', () => {
  it.each([
    ['a directory by its name', ['src/auth'], 'src/auth/**'],
    ['a directory with a slash', ['./src/auth/'], 'src/auth/**'],
    ['a pattern as it is', ['src/**/*.ts'], 'src/**/*.ts'],
    ['a file', ['src/auth/login.ts'], 'src/auth/login.ts'],
    ['a file that does not exist yet', ['src/new.ts'], 'src/new.ts'],
    ['everything', ['.'], '**'],
  ])('the division of files takes %s', (_, files, owned) => {
    expect(divide(asking(files), REAL, NONE)).toMatchObject({ owned: [[owned]], problems: [] });
  });

  it('shared files stay with the lead, whichever member asks for them', () => {
    const { owned, shared, problems } = divide(
      asking(['src/auth', 'package.json'], ['src/api', 'app/.env']),
      REAL,
      NONE,
    );
    expect(owned).toEqual([['src/auth/**'], ['src/api/**']]);
    expect(shared).toEqual(['package.json', 'yarn.lock', 'app/.env']);
    expect(problems).toEqual([]);
  });

  it('a single worker may own shared files', () => {
    expect(divide(asking(['package.json']), REAL, NONE)).toMatchObject({ owned: [['package.json']], shared: [] });
  });

  it("the planner's shared files are added", () => {
    const told = { shared: ['src/api/index.ts'], boundary: [] };
    const { owned, shared } = divide(
      asking(['src/auth/login.ts'], ['src/api/index.ts', 'src/api/users.ts']),
      REAL,
      told,
    );
    expect(shared).toContain('src/api/index.ts');
    expect(owned[1]).toEqual(['src/api/users.ts']);
  });

  it.each([
    ['the same directory', [['src/auth'], ['src/auth/']], 'src/auth/login.ts and 1 more'],
    ['patterns whose overlap only the existing files show', [['src/*/*.ts'], ['src/**/users.ts']], 'src/api/users.ts'],
  ])('overlap is found on the existing files: %s', (_, files, found) => {
    const { problems } = divide(asking(...files), REAL, NONE);
    expect(problems).toEqual([`Subtasks 1 and 2 both ask for ${found}; each file belongs to one of them.`]);
  });

  it('patterns that share no existing file do not overlap', () => {
    expect(divide(asking(['src/*.js'], ['**/*.js']), REAL, NONE).problems).toEqual([]);
  });

  it("a file inside of another member's scope goes to the more exact request, as a boundary", () => {
    const { boundary, problems } = divide(asking(['src'], ['src/auth']), REAL, NONE);
    expect(problems).toEqual([]);
    expect(boundary).toEqual([{ file: 'src/auth/**', owner: 1 }]);
  });

  it.each([
    ['whose text names it', [{ text: 'users' }, { text: 'the auth types' }], 1],
    ['that the other one waits for', [{ after: [1] }, {}], 1],
    ['that comes first, otherwise', [{}, {}], 0],
  ])('a file that two workers ask for goes to the one %s', (_, told, owner) => {
    const file = 'src/auth/types.ts';
    const both = told.map((one) => ({ text: '', after: [], ...one, files: [file, owner === 0 ? 'a' : 'b'] }));
    const { boundary, owned, problems } = divide(both, REAL, NONE);
    expect(problems.filter((problem) => problem.includes(file))).toEqual([]);
    expect(boundary).toContainEqual({ file, owner });
    expect(owned.map((own) => own.includes(file))).toEqual([owner === 0, owner === 1]);
  });

  it('an unclaimed boundary file goes to the most relevant worker', () => {
    const two = [
      { files: ['src/auth'], text: 'sign in', after: [] },
      { files: ['src/api/users.ts'], text: 'the index of the api', after: [] },
    ];
    const { boundary, owned } = divide(two, REAL, { shared: [], boundary: ['src/api/index.ts'] });
    expect(boundary).toEqual([{ file: 'src/api/index.ts', owner: 1 }]);
    expect(owned[1]).toEqual(['src/api/users.ts', 'src/api/index.ts']);
  });

  it.each(['/etc/passwd', '../other', 'a/../../b', '~/.bashrc', 'C:\\x'])(
    'a file outside of the workspace is refused: %s',
    (file) => {
      expect(divide(asking([file]), REAL, NONE)).toMatchObject({
        owned: [[]],
        problems: [`Subtask 1 asks for ${file}, which is not a path inside the project.`],
      });
    },
  );
});
