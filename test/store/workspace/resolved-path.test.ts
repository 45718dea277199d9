/** The real target of workspace paths; no planted file leads out of the workspace. */
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { isTeamError } from '../../../src/model/text/errors.ts';
import { locate } from '../../../src/store/workspace/resolved-path.ts';
import { changeText, listed, readPage, writeText } from '../../../src/store/workspace/workspace-text.ts';
import { tempDir } from '../../support/temp.ts';

const SECRET = 'the secret outside';
const whole = { from: 1, lines: 10_000, bytes: 1_000_000 };

let base: string;
let root: string;
let outside: string;
beforeEach(() => {
  base = tempDir();
  root = join(base, 'root');
  outside = join(base, 'root-evil');
  for (const path of [root, outside, join(root, 'src')]) mkdirSync(path);
  writeFileSync(join(outside, 'secret'), SECRET);
  writeFileSync(join(root, 'src', 'a.txt'), 'one\ntwo\n');
});

const read = (path: string): string => readPage(locate(root, path), whole).lines.join('\n');
const write = (path: string, text: string): void => void writeText(locate(root, path), text);
/** The code of a refusal. */
function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isTeamError(error)) return error.code;
    throw error;
  }
  return 'allowed';
}

const plants: Readonly<Record<string, () => void>> = {
  'a link to a file outside': () => symlinkSync(join(outside, 'secret'), join(root, 'x')),
  'a relative link to a file outside': () => symlinkSync('../root-evil/secret', join(root, 'x')),
  'a chain of links to a file outside': () => {
    symlinkSync('y', join(root, 'x'));
    symlinkSync('../root-evil/secret', join(root, 'y'));
  },
  'a link to itself': () => symlinkSync('x', join(root, 'x')),
  'a link that leads nowhere': () => symlinkSync('../root-evil/new', join(root, 'x')),
  'a hard link to a file outside': () => linkSync(join(outside, 'secret'), join(root, 'x')),
  'a FIFO': () => void execFileSync('mkfifo', [join(root, 'x')]),
  'a link to a device': () => symlinkSync('/dev/zero', join(root, 'x')),
  'a socket of the system': () => symlinkSync('/proc/self/fd/0', join(root, 'x')),
  'a directory': () => mkdirSync(join(root, 'x')),
};

describe('what is planted', () => {
  test.each(Object.keys(plants))('a planted %s is not read, changed or written through, and nothing hangs', (name) => {
    plants[name]?.();
    for (const work of [
      () => read('x'),
      () => write('x', 'mine'),
      () => changeText(locate(root, 'x'), (text) => `${text}!`),
    ])
      expect(codeOf(work)).toMatch(/^(POLICY_DENIED|USAGE|IO|CORRUPT)$/);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe(SECRET);
    expect(readdirSync(outside)).toEqual(['secret']);
  });

  test('a link to a directory outside gives no access there', () => {
    symlinkSync(outside, join(root, 'd'));
    expect(codeOf(() => read('d/secret'))).toBe('POLICY_DENIED');
    expect(codeOf(() => write('d/new', 'x'))).toBe('POLICY_DENIED');
    expect(codeOf(() => write('d/deep/new', 'x'))).toBe('POLICY_DENIED');
    expect(codeOf(() => listed(locate(root, 'd')))).toBe('POLICY_DENIED');
    expect(readdirSync(outside)).toEqual(['secret']);
  });
});

describe('a path', () => {
  test.each([
    ['../root-evil/secret'],
    ['src/../../root-evil/secret'],
    ['..'],
    ['/etc/passwd'],
    ['/'],
    ['/proc/self/root/etc/passwd'],
    ['//etc/passwd'],
    ['src/../../../../../../../../etc/passwd'],
  ])('the path %s is outside', (path) => {
    expect(codeOf(() => locate(root, path))).toBe('POLICY_DENIED');
  });

  test('a path is outside by a longer name, through /proc, and in another spelling of its root', () => {
    const cafe = join(base, 'caf\u00e9');
    mkdirSync(cafe);
    for (const [at, path] of [
      [root, `${root}-evil/secret`],
      [root, `/proc/self/root${root}/src/a.txt`],
      [root, `/proc/self/cwd/../../..${root}/../root-evil/secret`],
      [root, join(base, 'ROOT', 'src', 'a.txt')],
      [cafe, join(base, 'cafe\u0301', 'a')],
    ] as const)
      expect([path, codeOf(() => locate(at, path))]).toEqual([path, 'POLICY_DENIED']);
  });

  test.each(['src/a.txt', './src/a.txt', 'src//a.txt', 'src/../src/a.txt', 'src/b/../a.txt'])(
    'the path %s is inside',
    (path) => {
      expect(read(path)).toBe('one\ntwo');
    },
  );

  test('an absolute path may be inside, also by the name of a link to the root', () => {
    symlinkSync(root, join(base, 'alias'));
    expect(read(join(root, 'src/a.txt'))).toBe('one\ntwo');
    const alias = join(base, 'alias');
    for (const path of [join(alias, 'src/a.txt'), join(root, 'src/a.txt'), 'src/a.txt'])
      expect(locate(alias, path).path).toBe('src/a.txt');
  });

  test('a path through links inside counts by its target', () => {
    symlinkSync('src', join(root, 'lib'));
    symlinkSync('src/a.txt', join(root, 'a'));
    mkdirSync(join(root, '..dots'));
    expect([locate(root, 'lib/a.txt').path, locate(root, 'a').path]).toEqual(['src/a.txt', 'src/a.txt']);
    expect(locate(root, '..dots/new').path).toBe('..dots/new');
    write('a', 'three');
    expect([lstatSync(join(root, 'a')).isSymbolicLink(), read('lib/a.txt')]).toEqual([true, 'three']);
  });

  test('an allowed path is inside, for every text', () => {
    symlinkSync(outside, join(root, 'd'));
    symlinkSync('..', join(root, 'up'));
    symlinkSync('/proc/self/root', join(root, 'proc'));
    // Removed, because a later search of the leftovers would walk through it.
    onTestFinished(() => rmSync(join(root, 'proc')));
    const part = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '',
        'src',
        'd',
        'up',
        'proc',
        'a.txt',
        'secret',
        'root',
        'root-evil',
        'etc',
        'tmp',
        '~',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\0', '0')),
    );
    const path = fc.tuple(fc.constantFrom('', '/', root, `${root}/`, outside), fc.array(part, { maxLength: 6 }));
    fc.assert(
      fc.property(path, ([start, parts]) => {
        const given = `${start}${parts.join('/')}`;
        if (codeOf(() => locate(root, given)) !== 'allowed') return;
        const place = locate(root, given);
        const way = relative(realpathSync(root), join(place.root, place.path));
        expect(way === '..' || way.startsWith('../') || way.startsWith('/')).toBe(false);
        if (existsSync(join(place.root, place.path)))
          expect(realpathSync(join(place.root, place.path))).toBe(join(place.root, place.path).replace(/\/$/, ''));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a directory that is swapped for a link all the time', () => {
  // 10 s in the long run; here it is long enough for hundreds of swaps.
  const MS = process.env['TEAMS_STRESS'] === undefined ? 1_500 : 10_000;

  test('no read or write leads out while a directory is swapped for a link all the time', async () => {
    mkdirSync(join(root, 'real'));
    for (const name of ['secret', 'more']) writeFileSync(join(root, 'real', name), 'inside');
    const swapper = new Worker(
      `const { workerData: { root, outside } } = require('node:worker_threads'); const fs = require('node:fs');
       const [at, real, link] = [root + '/swap', root + '/real', root + '/link'];
       const swap = () => { fs.renameSync(real, at); fs.renameSync(at, real); fs.symlinkSync(outside, link); fs.renameSync(link, at); fs.unlinkSync(at); };
       // The writer may create the directory while there is none.
       const mend = () => { fs.rmSync(link, { force: true }); if (fs.existsSync(real)) fs.rmSync(at, { recursive: true, force: true }); else fs.renameSync(at, real); };
       for (;;) try { swap(); } catch { try { mend(); } catch {} }`,
      { eval: true, workerData: { root, outside } },
    );
    onTestFinished(async () => {
      await swapper.terminate();
    });
    const seen = { inside: 0, refused: 0 };
    const until = performance.now() + MS;
    while (performance.now() < until)
      for (const work of [
        () => expect(read('swap/secret')).not.toBe(SECRET),
        () => write('swap/new', 'mine'),
        () => changeText(locate(root, 'swap/secret'), () => 'inside'),
        () => expect(listed(locate(root, 'swap')) ?? []).not.toEqual(['secret']),
      ])
        seen[codeOf(work) === 'allowed' ? 'inside' : 'refused'] += 1;
    await swapper.terminate();
    expect([readFileSync(join(outside, 'secret'), 'utf8'), readdirSync(outside)]).toEqual([SECRET, ['secret']]);
    expect(Math.min(seen.inside, seen.refused)).toBeGreaterThan(0);
  });
});

describe('a file that is written', () => {
  test('a written file gets the mode that the umask leaves, and its parent directories', () => {
    write('new/deep/file.txt', 'x');
    writeFileSync(join(root, 'plain'), '');
    expect(statSync(join(root, 'new/deep/file.txt')).mode).toBe(statSync(join(root, 'plain')).mode);
  });

  test('a written file keeps its mode, and is there whole or unchanged', () => {
    chmodSync(join(root, 'src/a.txt'), 0o751);
    const fd = statSync(join(root, 'src/a.txt')).ino;
    write('src/a.txt', 'new');
    const now = statSync(join(root, 'src/a.txt'));
    expect([now.mode & 0o777, now.ino === fd, read('src/a.txt')]).toEqual([0o751, false, 'new']);
  });

  test('a read-only file is not written, nor a path below a file', () => {
    chmodSync(join(root, 'src/a.txt'), 0o444);
    expect(codeOf(() => write('src/a.txt', 'new'))).toBe('USAGE');
    expect(codeOf(() => write('src/a.txt/b', 'new'))).toBe('USAGE');
    expect(codeOf(() => write(`${'n'.repeat(300)}/b`, 'new'))).toMatch(/USAGE|IO/);
  });

  test('a file that changed meanwhile is not overwritten', () => {
    const change = (text: string): string => {
      writeFileSync(join(root, 'other'), 'theirs');
      renameSync(join(root, 'other'), join(root, 'src/a.txt'));
      return `${text}mine`;
    };
    expect(codeOf(() => changeText(locate(root, 'src/a.txt'), change))).toBe('REFUSED');
    expect(read('src/a.txt')).toBe('theirs');
  });

  test('a file keeps its byte-order mark, and a file that is no text is not changed', () => {
    writeFileSync(join(root, 'bom'), '\ufeffone');
    changeText(locate(root, 'bom'), (text) => text.replace('one', 'two'));
    expect(readFileSync(join(root, 'bom'), 'utf8')).toBe('\ufefftwo');
    for (const bytes of [Buffer.from([0x66, 0xff, 0xfe]), Buffer.from('a\0b')]) {
      writeFileSync(join(root, 'bytes'), bytes);
      expect(codeOf(() => changeText(locate(root, 'bytes'), () => 'x'))).toBe('USAGE');
      expect(codeOf(() => read('bytes'))).toBe('USAGE');
    }
  });
});

describe('a page', () => {
  const page = (text: string, wanted: Partial<typeof whole> = {}) => {
    writeFileSync(join(root, 'f'), text);
    return readPage(locate(root, 'f'), { ...whole, ...wanted });
  };

  test('a page has the requested lines, and gives their total number', () => {
    const text = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`).join('\n');
    expect(page(text, { from: 10, lines: 2 })).toEqual({ lines: ['line 10', 'line 11'], total: 100 });
    expect(page(`${text}\n`).total).toBe(100);
    expect(page(text, { from: 200 })).toEqual({ lines: [], total: 100 });
    expect(page('')).toEqual({ lines: [], total: 0 });
    expect(page('a\r\nb\r\n').lines).toEqual(['a', 'b']);
  });

  test('a page is bounded in bytes, goes on where it ended, and clips an unterminated line', () => {
    const text = `${'x'.repeat(1_000)}\n`.repeat(50);
    const first = page(text, { bytes: 10_000 });
    expect(first.lines.length).toBeGreaterThan(5);
    expect(first.lines.join('\n').length).toBeLessThan(10_000);
    expect(page(text, { from: first.lines.length + 1, bytes: 10_000 }).lines).toHaveLength(first.lines.length);
    const [long = ''] = page(`${'é'.repeat(100_000)}\nshort`, { bytes: 1_000 }).lines;
    expect(long).toMatch(/^é+… \[this line has 200000 bytes\]$/);
  });

  test('a page is the same for any chunks of the text', () => {
    const lines = fc.array(
      fc.string({ unit: 'grapheme', maxLength: 200 }).map((line) => line.replace(/[\n\r\0]/g, '')),
      {
        minLength: 1,
        maxLength: 400,
      },
    );
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 50 }), (all, from) => {
        const shown = page(`${all.join('\n')}\n`, { from, lines: 7 });
        expect(shown).toEqual({ lines: all.slice(from - 1, from + 6), total: all.length });
      }),
      { numRuns: 100 },
    );
  });

  test('a page of a large file is cheap, and a file over 64 MiB is refused', () => {
    const text = `${'y'.repeat(99)}\n`.repeat(300_000);
    expect(page(text, { from: 299_999, lines: 5 }).lines).toHaveLength(2);
    execFileSync('truncate', ['-s', '65M', join(root, 'f')]);
    expect(codeOf(() => readPage(locate(root, 'f'), whole))).toBe('USAGE');
    rmSync(join(root, 'f'));
  });
});
