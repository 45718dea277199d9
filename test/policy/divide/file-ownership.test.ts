/** Who may write which file: one owner for each, shared files the lead's, boundary files the most relevant's. */
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
    ['a file that is to be made', ['src/new.ts'], 'src/new.ts'],
    ['everything', ['.'], '**'],
  ])('takes %s', (_, files, owned) => {
    expect(divide(asking(files), REAL, NONE)).toMatchObject({ owned: [[owned]], problems: [] });
  });

  it('keeps shared files for the lead, whoever asks for them', () => {
    const { owned, shared, problems } = divide(
      asking(['src/auth', 'package.json'], ['src/api', 'app/.env']),
      REAL,
      NONE,
    );
    expect(owned).toEqual([['src/auth/**'], ['src/api/**']]);
    expect(shared).toEqual(['package.json', 'yarn.lock', 'app/.env']);
    expect(problems).toEqual([]);
  });

  it('lets one who works alone have them', () => {
    expect(divide(asking(['package.json']), REAL, NONE)).toMatchObject({ owned: [['package.json']], shared: [] });
  });

  it('adds the shared files of the planner', () => {
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
    ['patterns that only the files show to overlap', [['src/*/*.ts'], ['src/**/users.ts']], 'src/api/users.ts'],
  ])('finds overlap on the real files: %s', (_, files, found) => {
    const { problems } = divide(asking(...files), REAL, NONE);
    expect(problems).toEqual([`Subtasks 1 and 2 both ask for ${found}; each file belongs to one of them.`]);
  });

  it('sees no overlap where no file is', () => {
    expect(divide(asking(['src/*.js'], ['**/*.js']), REAL, NONE).problems).toEqual([]);
  });

  it('gives what lies inside of another to the one who asks more exactly, as a boundary', () => {
    const { boundary, problems } = divide(asking(['src'], ['src/auth']), REAL, NONE);
    expect(problems).toEqual([]);
    expect(boundary).toEqual([{ file: 'src/auth/**', owner: 1 }]);
  });

  it.each([
    ['whose words name it', [{ text: 'users' }, { text: 'the auth types' }], 1],
    ['for whom the other waits', [{ after: [1] }, {}], 1],
    ['who comes first, else', [{}, {}], 0],
  ])('gives a file that two ask for to the one %s', (_, told, owner) => {
    const file = 'src/auth/types.ts';
    const both = told.map((one) => ({ text: '', after: [], ...one, files: [file, owner === 0 ? 'a' : 'b'] }));
    const { boundary, owned, problems } = divide(both, REAL, NONE);
    expect(problems.filter((problem) => problem.includes(file))).toEqual([]);
    expect(boundary).toContainEqual({ file, owner });
    expect(owned.map((own) => own.includes(file))).toEqual([owner === 0, owner === 1]);
  });

  it('gives a boundary file that nobody asked for to the most relevant', () => {
    const two = [
      { files: ['src/auth'], text: 'sign in', after: [] },
      { files: ['src/api/users.ts'], text: 'the index of the api', after: [] },
    ];
    const { boundary, owned } = divide(two, REAL, { shared: [], boundary: ['src/api/index.ts'] });
    expect(boundary).toEqual([{ file: 'src/api/index.ts', owner: 1 }]);
    expect(owned[1]).toEqual(['src/api/users.ts', 'src/api/index.ts']);
  });

  it.each(['/etc/passwd', '../other', 'a/../../b', '~/.bashrc', 'C:\\x'])('refuses %s', (file) => {
    expect(divide(asking([file]), REAL, NONE)).toMatchObject({
      owned: [[]],
      problems: [`Subtask 1 asks for ${file}, which is not a path inside the project.`],
    });
  });
});
