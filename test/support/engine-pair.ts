/**
 * `EnginePair`: a PostgreSQL primary with a synchronous standby, each in a network of its own. A standby is promoted, and
 * the server that it replaced becomes its standby.
 */
import { setTimeout } from 'node:timers/promises';
import type { Networks } from './networks.ts';
import { freePort, Postgres } from './postgres.ts';

export const ENGINES = ['e1', 'e2'] as const;
const SYNCHRONOUS_MS = 20_000;
type EngineName = (typeof ENGINES)[number];

export class EnginePair {
  primary: Postgres;
  standby: Postgres | undefined;
  /** Where the primary is. */
  name: EngineName = 'e1';
  readonly #network: Networks;
  readonly #ports: Readonly<Record<EngineName, number>>;

  private constructor(network: Networks, ports: Readonly<Record<EngineName, number>>, primary: Postgres) {
    this.#network = network;
    this.#ports = ports;
    this.primary = primary;
  }

  static async start(network: Networks): Promise<EnginePair> {
    const ports = { e1: await freePort(), e2: await freePort() };
    const primary = await Postgres.start([], 'trust', { network, name: 'e1', port: ports.e1 });
    const pair = new EnginePair(network, ports, primary);
    await pair.follow();
    return pair;
  }

  /** For processes in the networks. */
  url(database: string): string {
    const places = ENGINES.map((name) => `${this.#network.address(name)}:${String(this.#ports[name])}`);
    return `postgres://owner@${places.join(',')}/${database}?sslmode=disable`;
  }

  /** Makes a standby, and waits until it is synchronous. */
  async follow(): Promise<void> {
    const name = this.name === 'e1' ? 'e2' : 'e1';
    const place = { network: this.#network, name, port: this.#ports[name] };
    this.standby = await this.primary.standby(["synchronous_standby_names = ''"], place);
    await this.primary.set("synchronous_standby_names = '*'");
    const state = async (): Promise<unknown> =>
      (await this.ask<{ state: string }>('select sync_state as state from pg_stat_replication'))[0]?.state;
    const late = performance.now() + SYNCHRONOUS_MS;
    while ((await state()) !== 'sync') {
      if (performance.now() > late) throw new Error('The standby does not become synchronous.');
      await setTimeout(50);
    }
  }

  /** The standby takes the place of the primary, which it returns: stop it, then {@link follow}. */
  async promote(): Promise<Postgres> {
    const [old, next] = [this.primary, this.standby];
    if (next === undefined) throw new Error('There is no standby.');
    this.primary = next;
    this.standby = undefined;
    this.name = this.name === 'e1' ? 'e2' : 'e1';
    await this.ask('select pg_promote()');
    return old;
  }

  /** By its socket, which no cut reaches. */
  async ask<Row extends object>(text: string, database = 'postgres'): Promise<Row[]> {
    const client = await this.primary.session('owner', database, this.primary.home);
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await this.standby?.stop();
    await this.primary.stop();
  }
}
