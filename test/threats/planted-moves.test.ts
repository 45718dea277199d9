/**
 * The mark of a move between files and a store (`.teams/.moves`) names a server, and a clone can bring one. Who connects
 * to it tells it the user's name, and the password of PGPASSWORD or of the password file, if it asks.
 */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Workplace } from '../support/cli.ts';

let place: Workplace;
let address: string;
let connections = 0;

beforeEach(async () => {
  place = new Workplace({ PGPASSWORD: 'hunter2' });
  connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  address = `postgres://127.0.0.1:${String((server.address() as AddressInfo).port)}/agents`;
});

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const MARK = '.teams/.moves/x/move.json';
const plant = (to: 'store' | 'files'): string => {
  const mark = JSON.stringify({ version: 1, id: ULID, team: ULID, name: 'x', to, store: address });
  place.put('.teams/.moves/x/team/config.json', '{}');
  place.put(MARK, mark);
  return mark;
};

it.each(['store', 'files'] as const)(
  'no verb asks the server of a mark that this user did not write: to %s',
  async (to) => {
    const mark = plant(to);
    place.put('plan.json', JSON.stringify({ name: 'x', members: [{ name: 'ada', agent: 'exec' }], tasks: [] }));
    await place.teams('create', 'crew', '--member', 'ada');
    for (const argv of [
      ['list'],
      ['status'],
      ['status', 'x'],
      ['send', 'x', 'ada', 'hi'],
      ['run', 'plan.json'],
      ['doctor'],
    ])
      await place.teams(...argv);
    const { err } = await place.teams('status', 'x');
    expect(err).toContain(`${join(place.root, MARK)} was not written by you on this machine`);
    expect(connections).toBe(0);
    expect(readFileSync(join(place.root, MARK), 'utf8')).toBe(mark);
    expect(existsSync(join(place.root, '.teams/x'))).toBe(false);
  },
);

it('who names the server moves the team there all the same', async () => {
  plant('store');
  const { err } = await place.teams('migrate', 'x', '--to', address);
  expect([connections, err]).toEqual([1, expect.stringContaining('closed the connection')]);
});
