/** What is kept of a session of an editor. */
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  appendTranscript,
  readTranscript,
  removeTranscript,
  transcriptIds,
} from '../../../src/store/user/editor-transcript.ts';
import { Workplace } from '../../support/cli.ts';

const ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const OTHER = '01ARZ3NDEKTSV4RRFFQ69G5FAW';
const at = '2026-01-01T00:00:00.000Z';
const prompt = (text: string) => ({ kind: 'prompt' as const, at, text });

let file = '';
beforeEach(() => {
  const place = new Workplace();
  file = join(place.root, 'home/state/teams/sessions', `${ID}.jsonl`);
});

test('records are read in the order in which they were written, and only the person can read them', () => {
  expect(readTranscript(ID)).toBeUndefined();
  const records = [
    { kind: 'opened' as const, at, cwd: '/a' },
    prompt('one\ntwo'),
    { kind: 'answer' as const, at, text: 'ok' },
  ];
  for (const record of records) appendTranscript(ID, record);
  expect(readTranscript(ID)).toEqual(records);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a line that a crash cut off, and a record of a later version, are skipped', () => {
  appendTranscript(ID, prompt('one'));
  appendFileSync(file, '{"kind":"later","at":"x"}\n{"kind":"pro');
  appendTranscript(ID, prompt('two'));
  expect(readTranscript(ID)).toEqual([prompt('one'), prompt('two')]);
});

test('a long text is cut', () => {
  appendTranscript(ID, prompt('x'.repeat(300_000)));
  expect(readTranscript(ID)).toEqual([prompt('x'.repeat(262_144))]);
});

test('an id that is none of ours leads to no file', () => {
  expect(readTranscript('../key')).toBeUndefined();
  removeTranscript('../key');
  expect(readTranscript('')).toBeUndefined();
});

test('sessions are listed, the latest first, until they are removed', () => {
  expect(transcriptIds(10)).toEqual([]);
  appendTranscript(ID, prompt('one'));
  appendTranscript(OTHER, prompt('one'));
  expect(transcriptIds(10).toSorted()).toEqual([ID, OTHER]);
  expect(transcriptIds(1)).toHaveLength(1);
  removeTranscript(OTHER);
  removeTranscript(OTHER);
  expect(transcriptIds(10)).toEqual([ID]);
  expect(readFileSync(file, 'utf8')).toContain('one');
});
