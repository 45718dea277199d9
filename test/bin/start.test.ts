/** What a start loads: counted, since a busy machine cannot change a count. */
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { frequentVerbs } from '../../src/surfaces/cli/frequent-main.ts';
import { tempDir } from '../support/temp.ts';

const PACKAGE = join(import.meta.dirname, '..', '..');
const BIN = join(PACKAGE, 'bin', 'teams.js');

let folder = '';
let list = '';
beforeEach(() => {
  folder = tempDir();
  list = join(folder, 'list.cjs');
  writeFileSync(
    list,
    `process.on('exit', () => process.getBuiltinModule('fs').writeFileSync(${JSON.stringify(join(folder, 'loaded'))},
      JSON.stringify(process.moduleLoadList)));`,
  );
});

/** The modules of Node that a program loads beyond those of an empty one. */
function loadedBy(...argv: string[]): string[] {
  const empty = join(folder, 'empty.cjs');
  writeFileSync(empty, '');
  const [few, all] = [[empty], argv].map((program) => {
    execFileSync(process.execPath, ['--require', list, ...program], {
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], HOME: folder },
    });
    return JSON.parse(readFileSync(join(folder, 'loaded'), 'utf8')) as string[];
  });
  return (all ?? []).filter((name) => name.startsWith('NativeModule ') && few?.includes(name) !== true);
}

it('--version loads no module of Node and no bundle', () => {
  for (const flag of ['--version', '-V', '-v']) expect(loadedBy(BIN, flag)).toEqual([]);
  for (const part of ['bin', 'package.json']) cpSync(join(PACKAGE, part), join(folder, part), { recursive: true });
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  expect(execFileSync(process.execPath, [join(folder, 'bin', 'teams.js'), '--version'], { encoding: 'utf8' })).toBe(
    `${version}\n`,
  );
});

/** Modules of Node that are slow to load, by a part of their name. */
const SLOW = /\b(?:http|https|net|tty|dgram|tls|readline|child_process|fs\/promises|fs\/streams|perf|zlib|dns)\b/;

it.each([
  'send t ada hello --kind note',
  'list',
  'status t --json',
  'task list t --status pending --owner ada',
  'inbox t ada --max 3',
  'why t',
  'log t --since 2',
])('`%s` loads no slow module of Node, and no other bundle', (line) => {
  execFileSync(process.execPath, [BIN, 'create', 't', '--member', 'ada', '--root', folder], { stdio: 'ignore' });
  const loaded = loadedBy(BIN, ...line.split(' '), '--root', folder);
  expect(loaded.filter((name) => SLOW.test(name) && !name.endsWith('event_loop_utilization'))).toEqual([]);
  // Whoever takes a lock must know that it is no worker thread; on Linux it does without that module.
  const isAsked = process.platform !== 'linux' && line.startsWith('send');
  expect([line, loaded.includes('NativeModule worker_threads')]).toEqual([line, isAsked]);
  expect(bundlesOf(line)).toEqual(['frequent.cjs']);
});

/** The bundles that a command line reads. */
function bundlesOf(line: string): readonly string[] {
  const read = join(folder, 'read.cjs');
  writeFileSync(
    read,
    `const fs = require('node:fs');
     const { readFileSync } = fs;
     const names = [];
     fs.readFileSync = (path, ...more) => {
       if (/dist[/][^/]+[.]cjs$/.test(String(path))) names.push(String(path).split('/').at(-1));
       return readFileSync(path, ...more);
     };
     process.on('exit', () => fs.writeFileSync(${JSON.stringify(join(folder, 'bundles'))}, JSON.stringify(names)));`,
  );
  execFileSync(process.execPath, ['--require', read, BIN, ...line.split(' '), '--root', folder], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  return (JSON.parse(readFileSync(join(folder, 'bundles'), 'utf8')) as string[]).filter((name) => name !== 'load.cjs');
}

const bundle = (name: string): string => readFileSync(join(PACKAGE, 'dist', `${name}.cjs`), 'latin1');

it('the frequent verbs have a bundle of their own, small and without commander', () => {
  const firstWords = new Set(frequentVerbs().map(({ name }) => name.split(' ')[0]));
  const listed = /const FREQUENT = \[(.*)\];/.exec(readFileSync(BIN, 'utf8'))?.[1] ?? '';
  expect(new Set(listed.split(', ').map((word) => word.slice(1, -1)))).toEqual(firstWords);
  const text = bundle('frequent');
  for (const part of ['node_modules/commander', 'src/app.ts', PACKAGE])
    expect([part, text.includes(part)]).toEqual([part, false]);
  expect(text.length).toBeLessThan(1_160_000);
});

it('a teammate reads no module to lead a program that needs no library', () => {
  const text = bundle('teammate-rest');
  for (const kind of ['claude', 'codex']) {
    expect([kind, text.includes(`late:src/agents/programs/${kind}.ts`)]).toEqual([kind, true]);
    expect([kind, text.includes(`programs/${kind}.js`)]).toEqual([kind, false]);
  }
});

it('verbs and a teammate evaluate their modules late', () => {
  for (const name of ['frequent', 'teammate', 'verbs']) {
    const late = bundle(name).match(/__commonJS\(\{"late:src\//g)?.length ?? 0;
    expect([name, late > 100]).toEqual([name, true]);
  }
});

/** If a teammate needs more now: `node scripts/teammate-modules.mjs`, then build. A rare race may need the rest, once. */
it('a teammate that runs commands does without the rest of what a teammate can do', { retry: 2 }, () => {
  const folder = tempDir();
  for (const part of ['bin', 'package.json']) cpSync(join(PACKAGE, part), join(folder, part), { recursive: true });
  for (const name of readdirSync(join(PACKAGE, 'dist')).filter((one) => one.endsWith('.cjs')))
    cpSync(join(PACKAGE, 'dist', name), join(folder, 'dist', name));
  writeFileSync(join(folder, 'dist', 'teammate-rest.cjs'), '(function () { throw new Error("the rest is needed"); })');
  const members = [{ name: 'ada', agent: { kind: 'exec' } }];
  const tasks = [
    { key: 'one', subject: 'One', run: 'echo one' },
    { key: 'two', subject: 'Two', run: 'true', blockedBy: ['one'] },
  ];
  writeFileSync(join(folder, 'plan.yaml'), JSON.stringify({ name: 'commands', members, tasks }));
  const env = { PATH: process.env['PATH'], HOME: folder };
  const argv = [join(folder, 'bin', 'teams.js'), 'run', 'plan.yaml', '--json'];
  const report: unknown = JSON.parse(
    execFileSync(process.execPath, argv, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' }),
  );
  expect(report).toMatchObject({ outcome: 'succeeded' });
});
