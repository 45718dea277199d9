import { expect, test } from 'vitest';
import { jsonSchemas } from '../../../src/model/config/schemas.ts';

const schemas = jsonSchemas();

test('there is a schema of everything that others write or read', () => {
  const written = ['plan', 'config', 'task', 'board-event', 'message', 'team-event'];
  const kept = ['team-config', 'team-state', 'process'];
  expect(Object.keys(schemas).sort()).toEqual([...written, ...kept].sort());
});

test.each(Object.entries(schemas))('%s names itself and its dialect', (name, schema) => {
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:teams-runtime:schema:${name}`,
  });
});

test('a plan needs members and tasks and knows no other keys', () => {
  expect(schemas['plan']).toMatchObject({ required: ['members', 'tasks'], additionalProperties: false });
});

test('a configuration needs nothing, and tells its defaults', () => {
  expect(schemas['config']).not.toHaveProperty('required');
  expect(schemas['config']).toMatchObject({
    properties: { maxAgents: { default: 5 }, defaultModel: { default: 'sonnet' } },
  });
});
