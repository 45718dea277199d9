/** A program (MCP) makes and leads a team in a store, as it does on files. */
import { once } from 'node:events';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../support/cli.ts';
import { TeamLife } from '../../support/mcp-life.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { running } from '../../support/processes.ts';
import { useStore } from '../../support/store-scene.ts';
import { StoreUser } from '../../support/store-user.ts';

describe.skipIf(!hasPostgres)('a host of MCP whose teams are in a store', { timeout: 120_000 }, () => {
  const store = useStore();

  async function endRelays(): Promise<void> {
    const own = () => running().filter(({ command }) => command.includes(`store relay --root ${store.place.root}/`));
    for (const { pid } of own()) process.kill(pid, 'SIGTERM');
    await until(() => own().length === 0, 'the relays end');
  }

  it('takes a team through its whole life, which another machine sees', async () => {
    const there = new StoreUser(store.place, 'there');
    onTestFinished(endRelays);
    const life = await TeamLife.begin(store.place);
    await life.until('they ended their tasks');
    const board = await there.ok('task', 'list', 'login', '--store', store.url);
    expect(board.out).toMatch(/Design/);
    await life.until('the team was deleted by force');
    await expect.poll(async () => (await there.ok('list', '--store', store.url)).out).not.toContain('login');
    await life.end();
    life.server.stdin.end();
    if (life.server.exitCode === null) await once(life.server, 'exit');
    expect(life.server.exitCode).toBe(0);
  });
});
