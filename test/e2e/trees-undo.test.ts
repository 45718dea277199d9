/** The change of one task is taken back exactly, by its attempt: what the user and other tasks did in the same files stays. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scene, userState } from '../support/tree-scene.ts';

const LINES = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
/** The file with these lines instead. */
const long = (lines: Readonly<Record<number, string>>): string =>
  LINES.map((line, at) => `${lines[at + 1] ?? line}\n`).join('');
const change = (line: number, text: string): string => `sed -i '${line}s/.*/${text}/' long.txt`;

it('one task is taken back, and brought back, in files that the user goes on to change', async () => {
  const tasks = [
    { subject: 'One', run: `${change(1, 'ONE')}; echo one >one.txt; rm count.txt` },
    { subject: 'Two', run: change(10, 'TWO') },
    { subject: 'Three', run: `${change(20, 'THREE')}; echo three >three.txt`, blockedBy: [1] },
  ];
  const { at, teams } = scene({ tasks }, { 'long.txt': long({}) });
  const text = (): string => readFileSync(join(at, 'long.txt'), 'utf8');
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  const before = userState(at);
  const early = await teams('undo', 'p', '1', '--yes');
  expect([early.code, early.err]).toEqual([2, expect.stringContaining('is not in your files')]);
  expect((await teams('apply', 'p')).code).toBe(0);
  const mine = { 30: 'mine' };
  const all = { 1: 'ONE', 10: 'TWO', 20: 'THREE' };
  writeFileSync(join(at, 'long.txt'), long({ ...all, ...mine }));
  const { code, out, err } = await teams('undo', 'p', '1', '--yes');
  expect(code, `${out}${err}`).toBe(0);
  expect(out).toContain('  removed: one.txt\n');
  expect(out).toContain('teams undo p 1 --redo');
  expect(text()).toBe(long({ 10: 'TWO', 20: 'THREE', ...mine }));
  expect([existsSync(join(at, 'one.txt')), existsSync(join(at, 'count.txt'))]).toEqual([false, true]);
  expect(readFileSync(join(at, 'three.txt'), 'utf8')).toBe('three\n');
  expect((await teams('undo', 'p', '1', '--yes')).err).toContain('is not in your files');
  // A later apply does not bring it by itself.
  expect((await teams('apply', 'p')).out).toContain('Nothing to apply');
  expect((await teams('undo', 'p', '1', '--redo', '--yes')).code).toBe(0);
  expect(text()).toBe(long({ ...all, ...mine }));
  expect((await teams('undo', 'p', '1', '--redo', '--yes')).err).toContain('is in your files');
  for (const task of ['2', '3', '1']) expect((await teams('undo', 'p', task, '--yes')).code).toBe(0);
  expect(text()).toBe(long(mine));
  writeFileSync(join(at, 'long.txt'), long({}));
  expect(userState(at)).toEqual(before);
}, 60_000);

it('what a later task built on is not taken back alone, and neither is what the user changed since', async () => {
  const tasks = [
    { subject: 'One', run: change(1, 'ONE') },
    { subject: 'Two', run: `sed -i 's/^ONE$/ONE AND TWO/' long.txt`, blockedBy: [1] },
    { subject: 'Three', run: change(20, 'THREE') },
  ];
  const { at, teams } = scene({ tasks }, { 'long.txt': long({}) });
  const text = (): string => readFileSync(join(at, 'long.txt'), 'utf8');
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  expect((await teams('apply', 'p')).code).toBe(0);
  const applied = userState(at);
  const built = await teams('undo', 'p', '1', '--yes');
  expect([built.code, built.err]).toEqual([3, expect.stringContaining('task #2 built on it (long.txt)')]);
  expect(userState(at)).toEqual(applied);
  writeFileSync(join(at, 'long.txt'), long({ 1: 'ONE AND TWO', 20: 'THREE, and mine' }));
  const edited = await teams('undo', 'p', '3', '--yes');
  expect([edited.code, edited.err]).toEqual([3, expect.stringContaining('long.txt was changed at the same place')]);
  expect(text()).toBe(long({ 1: 'ONE AND TWO', 20: 'THREE, and mine' }));
  for (const task of ['2', '1']) expect((await teams('undo', 'p', task, '--yes')).code).toBe(0);
  expect(text()).toBe(long({ 20: 'THREE, and mine' }));
}, 60_000);

it('one task that was applied alone is taken back alone', async () => {
  const tasks = [
    { subject: 'One', run: change(1, 'ONE') },
    { subject: 'Two', run: change(10, 'TWO') },
  ];
  const { at, teams } = scene({ tasks }, { 'long.txt': long({}) });
  const text = (): string => readFileSync(join(at, 'long.txt'), 'utf8');
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  expect((await teams('apply', 'p', '--task', '2')).code).toBe(0);
  expect((await teams('undo', 'p', '1', '--yes')).err).toContain('is not in your files');
  const before = text();
  expect((await teams('undo', 'p', '2', '--yes')).code).toBe(0);
  expect([before, text()]).toEqual([long({ 10: 'TWO' }), long({})]);
  expect((await teams('apply', 'p')).code).toBe(0);
  expect(text()).toBe(long({ 1: 'ONE', 10: 'TWO' }));
  // The whole is taken back with what was taken back of it.
  expect((await teams('undo', 'p', '1', '--yes')).code).toBe(0);
  const whole = await teams('undo', 'p', '--yes');
  expect(whole.code, whole.err).toBe(0);
  expect(text()).toBe(long({}));
}, 60_000);

it('before an apply an undo takes back nothing of what the user did meanwhile', async () => {
  const { at, teams } = scene({ tasks: [{ subject: 'One', run: change(1, 'ONE') }] }, { 'long.txt': long({}) });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  writeFileSync(join(at, 'long.txt'), long({ 20: 'mine' }));
  writeFileSync(join(at, 'mine.txt'), 'mine');
  const before = userState(at);
  for (const redo of [[], ['--redo']]) {
    const { code, out, err } = await teams('undo', 'p', '--yes', ...redo);
    expect({ code, out, err }).toEqual({
      code: 0,
      out: 'Nothing to do: no change of team p was brought into your files.\n',
      err: '',
    });
    expect(userState(at)).toEqual(before);
  }
  expect((await teams('apply', 'p')).code).toBe(0);
  expect(readFileSync(join(at, 'long.txt'), 'utf8')).toBe(long({ 1: 'ONE', 20: 'mine' }));
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  expect(userState(at)).toEqual(before);
});

it('an undo takes nothing back where nothing landed', async () => {
  const { at, teams } = scene({ tasks: [{ subject: 'One', run: 'true' }] });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  expect((await teams('apply', 'p')).code).toBe(0);
  writeFileSync(join(at, 'mine.txt'), 'mine');
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  expect(existsSync(join(at, 'mine.txt'))).toBe(true);
});
