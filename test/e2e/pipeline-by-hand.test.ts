/** A pipeline team that a person makes: roles get their prefixes and their files, so that its members can work. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Workplace } from '../support/cli.ts';

it('a role of a pipeline team made by hand has its prefixes, and works by its phases', async () => {
  const place = new Workplace();
  const made = await place.teams('create', 'iso', '--profile', 'pipeline', '--member', 'wri:writer');
  expect(made.code, made.err).toBe(0);
  expect((await place.teams('task', 'create', 'iso', '--subject', 'DRAFT-001 One')).code).toBe(0);
  const own = await place.teams('--as', 'wri', 'task', 'create', 'iso', '--subject', 'DRAFT-002 Two');
  expect(own.code, own.err).toBe(0);
  const foreign = await place.teams('--as', 'wri', 'task', 'create', 'iso', '--subject', 'IMPL-001 Three');
  expect(foreign.err).toContain('may not create tasks for other roles');
  const worker = await place.teams('worker', 'iso', 'wri', '--agent', 'exec:echo $TEAMS_PHASE >>phases; echo text');
  expect(worker.code, worker.err).toBe(0);
  expect(readFileSync(join(place.root, 'phases'), 'utf8')).toBe('2\n3\n4\n2\n3\n4\n');
});

it('an unknown role of a pipeline team is refused, and no team is made', async () => {
  const place = new Workplace();
  const { code, err } = await place.teams('create', 'iso', '--profile', 'pipeline', '--member', 'wri:writr');
  expect(code).toBe(2);
  expect(err).toContain('did you mean "writer"');
  expect((await place.teams('list')).out).not.toContain('iso');
});
