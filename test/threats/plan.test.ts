/** The plan that a resume carries out: its gates and agents run as the user, so it must be the one the user started. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { LEAD, parseName } from '../../src/model/text/names.ts';
import { realDisk } from '../../src/store/files/disk.ts';
import { teamPaths } from '../../src/store/files/paths.ts';
import { processesElsewhere } from '../../src/store/replica/elsewhere.ts';
import { leaseOwner } from '../../src/store/team/lease.ts';
import { failureSchema, Workplace } from '../support/cli.ts';

const keptSchema = z.looseObject({ text: z.string() });
const PLAN = {
  name: 'crew',
  members: [{ name: 'ada', agent: 'exec' }],
  tasks: [{ subject: 'Work', run: 'test -e go' }],
};
const OWNED = { gates: { test: 'touch owned' } };

let place: Workplace;
const file = (team = 'crew'): string => join(place.root, '.teams', team, 'plan.json');
const kept = (team?: string) => keptSchema.parse(JSON.parse(readFileSync(file(team), 'utf8')));
const write = (document: object): void => writeFileSync(file(), JSON.stringify(document));
const owned = (): boolean => existsSync(join(place.root, 'owned'));

/** A run whose only task failed, and can be tried again. */
beforeEach(async () => {
  place = new Workplace();
  place.put('plan.json', JSON.stringify(PLAN));
  expect((await place.teams('run', 'plan.json')).code).toBe(1);
  place.put('go', '');
});

const AGAIN = ['resume', 'crew', '--retry-failed'];
async function refused(...argv: string[]): Promise<void> {
  const { code, out } = await place.teams(...argv, '--json');
  expect([code, failureSchema.parse(JSON.parse(out)).error.code]).toEqual([4, 'UNTRUSTED']);
  expect(owned()).toBe(false);
}

describe('a plan.json that is not the one the user started runs nothing', () => {
  it.each<[string, () => object | Promise<object>]>([
    ['its gate was changed', () => ({ ...kept(), text: JSON.stringify({ ...PLAN, ...OWNED }) })],
    ['it has another reviewer', () => ({ ...kept(), reviewer: { kind: 'exec', command: 'touch owned; echo PASS' } })],
    [
      'its seal is gone',
      () => ({ ...kept(), seal: undefined, team: undefined, text: JSON.stringify({ ...PLAN, ...OWNED }) }),
    ],
    [
      'it is of another team of the user',
      async () => {
        place.put('other.json', JSON.stringify({ ...PLAN, ...OWNED, name: 'other' }));
        await place.teams('run', 'other.json', '--timeout', '1ms');
        return kept('other');
      },
    ],
  ])('%s', async (_, change) => {
    write(await change());
    await refused(...AGAIN);
    await refused('run', 'plan.json', '--resume');
  });
});

it('doctor shows the plan before it trusts it', async () => {
  write({ ...kept(), text: JSON.stringify({ ...PLAN, ...OWNED }) });
  expect((await place.teams('doctor')).out).toContain('has a plan.json that is not the one you started');
  const asked = await place.teams('doctor', '--trust', 'crew');
  expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('touch owned') as string]);
  await refused(...AGAIN);
  await place.teams('doctor', '--trust', 'crew', '--yes');
  expect((await place.teams(...AGAIN)).code).toBe(0);
  expect(owned()).toBe(true);
});

it('a plan of an earlier version, without a seal, goes on where the state vouches for it', async () => {
  write({ ...kept(), seal: undefined, team: undefined });
  expect((await place.teams(...AGAIN)).code).toBe(0);
});

it('a list of processes on other machines, in a team that is in no store, says nothing', async () => {
  const since = Date.now();
  const processes = ['lead', 'ada'].map((name) => ({ name, pidThere: 7, machine: 'evil', since }));
  place.put('.teams/crew/elsewhere.json', JSON.stringify({ version: 1, processes }));
  const paths = teamPaths(place.root, parseName('team', 'crew'));
  expect(processesElsewhere(realDisk, paths).size).toBe(0);
  expect(leaseOwner(realDisk, paths, LEAD)?.where).not.toBe('elsewhere');
  expect((await place.teams(...AGAIN)).code).toBe(0);
});
