/** A member whose agent is asked whether it may stop. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until, Workplace } from '../support/cli.ts';

const AGENT = `#!/bin/sh
text=$(cat)
[ "$TEAMS_PHASE" = shutdown ] || exit 0
printf '%s' "$text" > asked
cat answer
`;

it('a command with shutdown: ask refuses to stop with its reason, accepts later, and is not asked by force', async () => {
  const place = new Workplace();
  place.put('agent.sh', AGENT);
  place.put('answer', 'REJECT: the migration is half done\n');
  const agent = JSON.stringify({ kind: 'exec', command: ['sh', 'agent.sh'], shutdown: 'ask' });
  expect((await place.teams('create', 'crew', '--member', 'ada')).code).toBe(0);
  const lead = place.start('lead', 'crew');
  await until(async () => (await place.teams('status', 'crew', '--json')).out.includes('"running"'), 'a lead');
  const spawned = await place.teams('spawn', 'crew', 'bob', '--agent', agent);
  expect(spawned.code, spawned.err).toBe(0);
  await until(
    async () => /"state":\s*"idle"/.test((await place.teams('status', 'crew', '--json')).out),
    'bob is there',
  );
  const refused = await place.teams('delete', 'crew');
  expect([refused.code, refused.err]).toEqual([
    3,
    'teams: bob refuses to stop (the migration is half done); `--force` stops it anyway.\n',
  ]);
  expect(readFileSync(join(place.root, 'asked'), 'utf8')).toContain('The lead asks you to stop');
  place.put('answer', 'APPROVE\n');
  expect((await place.teams('delete', 'crew')).code).toBe(0);
  expect((await lead.ended).code).toBe(0);
});
