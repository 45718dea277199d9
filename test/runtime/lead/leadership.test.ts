/** What a new lead removes of dead processes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LEAD } from '../../../src/model/text/names.ts';
import { takeLead } from '../../../src/runtime/lead/leadership.ts';
import { sweptDirectories } from '../../../src/store/files/own-directories.ts';
import { ToldTeam } from '../../support/told-team.ts';

test('a new lead removes temporary files of killed processes from every directory of the team', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const directories = sweptDirectories(store.paths);
  const { session, blobs, homes } = store.paths;
  expect(directories).toEqual(expect.arrayContaining([...Object.values(session), blobs, homes]));
  const left = directories.map((directory) => join(directory, 'some.1-1-abc.tmp'));
  for (const directory of directories) mkdirSync(directory, { recursive: true });
  for (const file of left) writeFileSync(file, 'half');
  const { lease } = await takeLead(store, { onLost: () => undefined });
  await lease.release();
  expect(left.filter((file) => existsSync(file))).toEqual([]);
});

test('a takeover from a lead of another PID namespace is refused, and named with its cure', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const { lease } = await takeLead(store, { onLost: () => undefined });
  const path = store.paths.leaseOwner(LEAD);
  const owner = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...owner, pidNamespace: 'pid:[1]' }));
  const refusal = await takeLead(store, { takeover: true, onLost: () => undefined }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: 'LEAD_ALIVE',
    message: expect.stringMatching(/: end it there\.$/) as string,
  });
  writeFileSync(path, JSON.stringify(owner));
  await lease.release();
});
