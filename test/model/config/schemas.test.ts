import { expect, test } from 'vitest';
import { CONFIG_KEY_HELP } from '../../../src/model/config/config-key-help.ts';
import { configSchema } from '../../../src/model/config/config.ts';
import { jsonSchemas } from '../../../src/model/config/schemas.ts';
import { PLAN_KEY_HELP } from '../../../src/model/plan/plan-key-help.ts';
import { planFileSchema } from '../../../src/model/plan/plan-schema.ts';
import { describedSchema, type SchemaNode } from '../../../src/model/text/key-help.ts';

const schemas = jsonSchemas();

test('every format that other programs write or read has a schema', () => {
  const written = ['plan', 'config', 'task', 'board-event', 'message', 'team-event'];
  const told = ['hook-on-task-completed', 'hook-on-teammate-idle', 'hook-on-waiting', 'hook-on-finished'];
  const kept = ['team-config', 'team-state', 'process'];
  expect(Object.keys(schemas).sort()).toEqual([...written, ...told, ...kept].sort());
});

test.each(Object.entries(schemas))('the schema of %s names itself and its dialect', (name, schema) => {
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:teams-runtime:schema:${name}`,
  });
});

test('a plan needs members and tasks and knows no other keys', () => {
  expect(schemas['plan']).toMatchObject({ required: ['members', 'tasks'], additionalProperties: false });
});

test('a configuration needs no key, and its schema states the defaults', () => {
  expect(schemas['config']).not.toHaveProperty('required');
  expect(schemas['config']).toMatchObject({
    properties: { maxAgents: { default: 5 }, defaultModel: { default: 'sonnet' } },
  });
});

const help = [...Object.entries(PLAN_KEY_HELP), ...Object.entries(CONFIG_KEY_HELP)];

test.each(help)('the description of %s has sentences of at most 25 words', (_, { text }) => {
  expect(text).toMatch(/[.]$/);
  for (const sentence of text.split(/[.:] /)) expect(sentence.split(' ').length).toBeLessThanOrEqual(25);
});

test('a key without a description is an error, and so is a description without a key', () => {
  const schema = { properties: { a: { items: { properties: { b: {} } } }, c: { additionalProperties: {} } } };
  const found = describedSchema(schema, { a: { text: 'A.' }, 'a[].d': { text: 'D.' } });
  expect(found).toMatchObject({ missing: ['a[].b', 'c'], stale: ['a[].d'] });
});

const propertiesOf = (node: SchemaNode | undefined): Record<string, SchemaNode> => ({ ...node?.properties });
const defaultsOf = (properties: Record<string, SchemaNode>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([key, node]) => ('default' in node ? [[key, node.default]] : [])),
  );

test('the defaults in the schemas are the real defaults', () => {
  const described: SchemaNode = { ...schemas['config'] };
  const { routing, sandbox, hooks, gates, ...rest } = configSchema.parse({});
  expect(rest).toMatchObject(
    defaultsOf({ ...propertiesOf(described), routing: {}, sandbox: {}, hooks: {}, gates: {} }),
  );
  const groups = Object.entries({ routing, sandbox, hooks, gates });
  for (const [key, group] of groups)
    expect(group).toMatchObject(defaultsOf(propertiesOf(propertiesOf(described)[key])));
});

test('the defaults in the schema of a plan are the real defaults', () => {
  const { properties }: SchemaNode = { ...schemas['plan'] };
  const { gates, ...plan } = planFileSchema.parse({ members: [{ name: 'ada' }], tasks: [{ subject: 'Look' }] });
  expect(plan).toMatchObject(defaultsOf({ ...properties, gates: {} }));
  expect(gates).toMatchObject(defaultsOf(propertiesOf(properties?.['gates'])));
  expect(plan.members[0]).toMatchObject(defaultsOf(propertiesOf(properties?.['members']?.items)));
  const { timeout, ...task } = defaultsOf(propertiesOf(properties?.['tasks']?.items));
  expect(timeout).toBe('10m');
  expect(plan.tasks[0]).toMatchObject(task);
});

test('the examples are valid', () => {
  const plan = { members: [{ name: 'ada' }], tasks: [{ subject: 'Look' }] };
  const tops = (table: typeof PLAN_KEY_HELP): [string, unknown][] =>
    Object.entries(table).flatMap(([key, { example }]) =>
      /[.[]/.test(key) || example === undefined ? [] : [[key, example]],
    );
  for (const [key, example] of tops(CONFIG_KEY_HELP)) configSchema.parse({ [key]: example });
  for (const [key, example] of tops(PLAN_KEY_HELP)) planFileSchema.parse({ ...plan, [key]: example });
  for (const [key, { example }] of Object.entries(PLAN_KEY_HELP)) {
    const inTask = /^tasks\[\]\.(\w+)$/.exec(key)?.[1];
    if (inTask !== undefined && example !== undefined)
      planFileSchema.parse({ ...plan, tasks: [{ subject: 'Look', [inTask]: example }] });
  }
});
