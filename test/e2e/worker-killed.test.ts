/** A worker that a person started is killed with SIGKILL: what its agent had started ends, too. */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { Machine, storePlace } from '../support/machine.ts';
import { hasPostgres, Postgres } from '../support/postgres.ts';
import { running } from '../support/processes.ts';

const PATIENCE = { timeout: 20_000, interval: 50 };

/** A command that nobody else runs, in a session of its own. */
const COMMAND = 'setsid sleep 86399.5';
const sleepers = () => running().filter(({ command }) => command.startsWith('sleep 86399.5'));

describe('what the agent of a worker started', { timeout: 60_000 }, () => {
  it('ends when the worker is killed, of a team in files', async () => {
    const place = new Workplace();
    allowLeft();
    for (const argv of [
      ['create', 'login', '--member', 'ada'],
      ['task', 'create', 'Sleep', '--run', COMMAND],
    ])
      expect((await place.teams(...argv)).code).toBe(0);
    const { child } = place.start('worker', 'login', 'ada', '--agent', 'exec');
    await expect.poll(() => sleepers().length, PATIENCE).toBe(1);
    child.kill('SIGKILL');
    await expect.poll(sleepers, PATIENCE).toEqual([]);
  });

  it.skipIf(!hasPostgres)('ends when the worker is killed, of a team in a store', async () => {
    const engine = await Postgres.start();
    try {
      const { place } = await storePlace(engine);
      const machine = new Machine(place, 'a');
      expect(await machine.start(), machine.said).toBeNull();
      allowLeft();
      await machine.ok('create', 'login', '--member', 'ada');
      await machine.ok('task', 'create', 'Sleep', '--run', COMMAND);
      const worker = machine.process('worker', 'login', 'ada', '--agent', 'exec');
      await expect.poll(() => sleepers().length, PATIENCE).toBe(1);
      worker.kill('SIGKILL');
      await once(worker, 'exit');
      await expect.poll(sleepers, PATIENCE).toEqual([]);
      await machine.stop();
    } finally {
      await engine.stop();
    }
  });

  it('leaves no reaper when the worker ends in order', async () => {
    const place = new Workplace();
    await place.teams('create', 'login', '--member', 'ada');
    const { code } = await place.start('worker', 'login', 'ada', '--agent', 'exec', '--idle-timeout', '1s').ended;
    expect(code).toBe(0);
    expect(running().filter(({ command, cwd }) => `${command} ${cwd}`.includes(place.root))).toEqual([]);
  });
});
