import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { closed } from '../../../src/model/text/document-problem.ts';
import { jsonAnswer } from '../../../src/model/text/json-answer.ts';

const schema = closed({
  subtasks: z.array(closed({ subject: z.string(), files: z.array(z.string()).default([]) })).min(1),
});

describe('a JSON answer of a model', () => {
  it.each([
    ['all of it', '{"subtasks":[{"subject":"a"}]}'],
    ['a fenced block', 'Here:\n```json\n{"subtasks":[{"subject":"a"}]}\n```\nDone.'],
    ['the text between braces', 'The plan is {"subtasks":[{"subject":"a"}]} as you wish.'],
  ])('is read from %s', (_where, text) => {
    expect(jsonAnswer(schema, text)).toEqual({ ok: true, value: { subtasks: [{ subject: 'a', files: [] }] } });
  });

  it.each([
    ['no object', 'I cannot.', 'it contains no JSON object'],
    ['a missing key at the top', '{}', '"subtasks" is missing.'],
    ['a missing key below', '{"subtasks":[{"subject":"a"},{}]}', 'subtasks[1]: "subject" is missing.'],
    ['an unknown key below', '{"subtasks":[{"subject":"a","role":"x"}]}', 'subtasks[0]: Unknown key "role".'],
    [
      'a wrong value in a list below, and another',
      '{"subtasks":[{"subject":3,"files":["a",7]}]}',
      'subtasks[0]: Expected "subject" to be a text, got 3. subtasks[0].files[1]: Expected an entry of "files" to be a text, got 7.',
    ],
  ])('a mistake says its place: %s', (_what, text, why) => {
    expect(jsonAnswer(schema, text)).toEqual({ ok: false, why });
  });
});
