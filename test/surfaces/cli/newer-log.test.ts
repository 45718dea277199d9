/** A team whose log has an event of a newer version: no verb reads it, and `delete --force` puts it away. */
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Workplace } from '../../support/cli.ts';

it('a team with an event of a newer version is put away by delete --force only', async () => {
  const place = new Workplace();
  await place.teams('create', 'login', '--member', 'ada');
  const event = { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', v: 99, at: '2026-01-01T00:00:00.000Z', type: 'x.y' };
  appendFileSync(
    join(place.root, '.tasks/login/log.jsonl'),
    `\n${JSON.stringify({ ...event, author: { person: 'lead', epoch: 0 } })}\n`,
  );
  expect((await place.teams('delete', 'login')).code).toBe(4);
  expect((await place.teams('delete', 'login', '--force')).code).toBe(0);
  expect(readdirSync(join(place.root, '.teams/.archive'))).toHaveLength(1);
});
