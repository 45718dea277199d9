/** The recorded team is what the example leaves behind today: the same files, of the same shapes. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const RECORDED = join(ROOT, '.teams-example', 'recorded');

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());

/** The number of segments differs from run to run, and so does whether the next inbox was made: both depend on looks. */
const isChance = (name: string): boolean => name.includes('_inbox.taken.') || name.endsWith('_inbox.jsonl');

/** The keys of every line or document, without their values. */
const shapeOf = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .split(path.endsWith('.json') ? '\0' : '\n')
    .filter((text) => text.trim() !== '')
    .map((text) => keysOf(JSON.parse(text)));

const keysOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).sort().join(' ') : 'value';

describe('the recorded team', () => {
  it('the recorded team has the files and shapes that the script makes now, and no fact about the machine', async () => {
    const target = join(tempDir(), 'recorded');
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts', 'record-example.mjs'), target]);
    const stable = (folder: string): string[] =>
      filesUnder(folder)
        .filter((name) => !isChance(name))
        .sort();
    expect(stable(RECORDED)).toEqual(stable(target));
    for (const name of stable(target).filter((file) => file.endsWith('.json')))
      expect([name, shapeOf(join(RECORDED, name))]).toEqual([name, shapeOf(join(target, name))]);
    const kinds = (folder: string): string[] =>
      [...new Set(shapeOf(join(folder, 'tasks', 'hello', 'log.jsonl')))].sort();
    expect(kinds(RECORDED)).toEqual(kinds(target));
    const text = filesUnder(RECORDED)
      .map((name) => readFileSync(join(RECORDED, name), 'utf8'))
      .join('\n');
    for (const secret of [ROOT, hostname(), '/tmp/']) expect(text).not.toContain(secret);
  });
});
