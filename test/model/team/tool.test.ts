import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isToolName, parseToolInput, TOOL_NAMES, toolFacts, toolJsonSchema } from '../../../src/model/team/tool.ts';

describe.each(TOOL_NAMES)('%s', (tool) => {
  test('the tool tells a model what it does, how it refuses, and what each parameter is', () => {
    expect(toolFacts[tool].description).toMatch(/^[A-Z].*\.$/);
    const schema = toolJsonSchema(tool);
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    for (const property of Object.values(schema['properties'] ?? {}))
      expect(property).toHaveProperty('description', expect.stringMatching(/\.$/));
  });

  test('any input gives a value or sentences, and never throws', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (given) => {
        const parsed = parseToolInput(tool, given);
        expect(parsed.ok || parsed.problems.every(({ text }) => text.length > 0)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the words of a call', () => {
  test.each([
    ['TeamCreate', { team_name: 'login' }, { name: 'login' }],
    ['TeamDelete', { team_name: 'login', force: true }, { name: 'login', force: true }],
    ['SendMessage', { recipient: 'ada', message: 'hi' }, { recipient: 'ada', content: 'hi' }],
    ['TeamCreate', { team_name: 'login', name: 'login' }, { name: 'login' }],
  ] as const)('%s reads %j as %j', (tool, given, meant) => {
    expect(parseToolInput(tool, given)).toEqual({ ok: true, value: meant });
  });

  test.each([
    ['TeamCreate', { team_name: 'login', name: 'other' }, /"name" is given twice/],
    ['TeamCreate', { name: 'other', team_name: 'login' }, /"name" is given twice/],
    ['SendMessage', { recipient: 'ada', message: 'a', content: 'b' }, /"content" is given twice/],
    ['TaskCreate', { subject: 'x', description: 'y', blockedby: [] }, /Unknown key "blockedby".*blockedBy/],
    ['TaskCreate', { subject: 'x' }, /description" is missing/],
    ['TaskUpdate', { taskId: '1', status: 'done' }, /Expected "status" to be one of .*completed/],
    ['TaskOutput', { task_id: 'agent-1', wait: -1 }, /Expected "wait" to be at least 0/],
    ['Task', [], /Expected this to be a map/],
  ] as const)('%s refuses %j in a sentence', (tool, given, said) => {
    const parsed = parseToolInput(tool, given);
    expect(parsed.ok ? '' : parsed.problems.map(({ text }) => text).join(' ')).toMatch(said);
  });

  test('the description of SendMessage tells a model to end its turn after a question', () => {
    expect(toolFacts.SendMessage.description).toMatch(/kind "question" and then end your turn/);
  });

  test('a name of Object.prototype is no tool', () => {
    expect(['constructor', 'toString', '__proto__', 'sendmessage'].some(isToolName)).toBe(false);
  });

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'a parameter with a name of Object.prototype is an unknown one: %s',
    (key) => {
      const given: unknown = JSON.parse(`{"subject":"s","description":"d","${key}":{"polluted":true}}`);
      const parsed = parseToolInput('TaskCreate', given);
      expect(parsed.ok ? [] : parsed.problems.map(({ text }) => text)).toEqual([`Unknown key "${key}".`]);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );
});
