/**
 * `Campaign`: two teams in a store on four machines, with a primary and a synchronous standby, and what can fail there. In
 * the team `raw` workers write down what was acknowledged to them; in `crew` a lead has members on hosts.
 */
import { spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { realDisk } from '../../src/store/files/disk.ts';
import { openSeal } from '../../src/store/user/seal.ts';
import { CampaignHost } from './campaign-host.ts';
import type { Workplace } from './cli.ts';
import type { EnginePair } from './engine-pair.ts';
import type { Cut, Networks } from './networks.ts';

export const HOSTS = ['h1', 'h2', 'h3', 'h4'] as const;
export const DATABASE = 'agents';
/** A lease lapses after 10 s. */
const BEYOND_LEASE_MS = 12_000;
const CUT_MS = 3_000;

export class Campaign {
  readonly hosts: readonly CampaignHost[];
  readonly engines: EnginePair;
  readonly network: Networks;
  readonly stop: string;
  #lead: { readonly host: CampaignHost; readonly process: ChildProcess } | undefined;
  #told = 0;

  constructor(network: Networks, engines: EnginePair, place: Workplace) {
    this.network = network;
    this.engines = engines;
    this.stop = join(place.root, 'stop');
    const team = { network, place, url: engines.url(DATABASE), key: newKey(place), stop: this.stop };
    this.hosts = HOSTS.map((name) => new CampaignHost(team, name));
  }

  async begin(tasks: number): Promise<void> {
    const [first] = this.hosts;
    if (first === undefined) throw new Error('There are hosts.');
    const members = HOSTS.map((_, n) => `w${String(n)}`);
    const made = first.verb('create', 'raw', ...[...members, 'reader'].flatMap((member) => ['--member', member]));
    await expect.poll(() => made.exitCode, { timeout: 60_000 }).not.toBeNull();
    expect(made.exitCode, first.said).toBe(0);
    for (const host of this.hosts) await host.begin(1, 'crew');
    for (const host of this.hosts) this.work(host);
    const plan = {
      name: 'crew',
      members: ['ada', 'bob', 'cy', 'dan'].map((name) => ({ name, agent: 'exec' })),
      tasks: Array.from({ length: tasks }, (_, n) => ({ subject: `t${String(n + 1)}`, run: 'sleep 1' })),
      gates: { build: false, test: false, lint: false },
    };
    writeFileSync(join(first.dir, 'plan.json'), JSON.stringify(plan));
    this.#lead = { host: first, process: first.verb('run', join(first.dir, 'plan.json')) };
    await expect.poll(() => this.completed(), { timeout: 90_000 }).toBeGreaterThan(0);
  }

  work(host: CampaignHost): void {
    const n = this.hosts.indexOf(host);
    host.work('raw', `w${String(n)}`, 'reader', `0000000000000000000000000${String(n)}`);
  }

  completed(): number {
    return Math.max(...this.hosts.map((host) => host.log('crew').match(/"type":"task\.completed"/g)?.length ?? 0));
  }

  get lead(): CampaignHost {
    if (this.#lead === undefined) throw new Error('There is a lead.');
    return this.#lead.host;
  }

  /** Hosts without the lead, one after the other. */
  another(): CampaignHost {
    const others = this.hosts.filter((host) => host !== this.#lead?.host);
    const host = others[this.#told++ % others.length];
    if (host === undefined) throw new Error('There are hosts.');
    return host;
  }

  /** Another process takes the lead over, when its lease has lapsed. */
  async takeOver(): Promise<void> {
    const host = this.another();
    for (;;) {
      const next = host.verb('resume', 'crew');
      let said = '';
      next.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
      await Promise.race([once(next, 'exit'), setTimeout(5_000)]);
      // Of such a run each further one says the same.
      if (next.exitCode !== 0 && said.includes('has ended')) throw new Error(said);
      if (next.exitCode === null || next.exitCode === 0) {
        this.#lead = { host, process: next };
        return;
      }
    }
  }

  /** The crew has done all. */
  async crewEnds(): Promise<void> {
    while (this.#lead !== undefined) {
      const { process: lead } = this.#lead;
      if (lead.exitCode === null && lead.signalCode === null) await once(lead, 'exit');
      if (lead.exitCode === 0) return;
      await this.takeOver();
    }
  }

  /** Every worker has three more answers. */
  async progress(): Promise<void> {
    const count = (host: CampaignHost): number => host.acknowledged().filter(isAnswer).length;
    const before = this.hosts.map(count);
    await expect
      .poll(() => this.hosts.filter((host, n) => count(host) < (before[n] ?? 0) + 3).length, {
        timeout: 120_000,
        message: this.hosts.map(({ name, said }) => `${name}: ${said}`).join('\n'),
      })
      .toBe(0);
  }

  /** @returns the longest time that a worker was without an answer since then, in milliseconds */
  silence(since: number): number {
    const gaps = this.hosts.flatMap((host) => {
      const times = host
        .acknowledged()
        .filter(isAnswer)
        .map(({ at }) => at);
      return times.flatMap((at, n) => (at < since ? [] : [at - (times[n - 1] ?? at)]));
    });
    return Math.max(...gaps);
  }
}

const isAnswer = ({ what }: { readonly what: string }): boolean => what !== 'refused';

type Fault = (campaign: Campaign) => Promise<void>;

const cutHost =
  (how: Cut): Fault =>
  async (campaign) => {
    const { name } = campaign.another();
    campaign.network.cut(name, how);
    await setTimeout(CUT_MS);
    campaign.network.heal(name);
  };

const stopped =
  (which: (campaign: Campaign) => readonly [CampaignHost, ReturnType<CampaignHost['processes']>]): Fault =>
  async (campaign) => {
    const [host, processes] = which(campaign);
    host.signal('SIGSTOP', processes);
    await setTimeout(BEYOND_LEASE_MS);
    host.signal('SIGCONT', processes);
  };

/** On a new machine, when the name of the lost one has lapsed. */
async function beginAnew(campaign: Campaign, host: CampaignHost): Promise<void> {
  await setTimeout(BEYOND_LEASE_MS);
  await host.begin(1, 'crew');
  campaign.work(host);
}

export const FAULTS: Readonly<Record<string, Fault>> = {
  'engine killed': async ({ engines }) => {
    await engines.primary.kill();
    await setTimeout(1_000);
    await engines.primary.run();
  },
  'primary killed, standby promoted': async ({ engines }) => {
    await engines.primary.kill();
    const old = await engines.promote();
    await setTimeout(1_000);
    await old.stop();
    await engines.follow();
  },
  'primary cut off, standby promoted': async ({ engines, network }) => {
    const { name } = engines;
    network.cut(name, 'both');
    await setTimeout(1_000);
    const old = await engines.promote();
    await setTimeout(CUT_MS);
    // It takes writes, too, and nobody may believe it.
    network.heal(name);
    await setTimeout(CUT_MS);
    await old.stop();
    await engines.follow();
  },
  'host cut off': cutHost('both'),
  'what a relay sends is lost': cutHost('out'),
  'what a relay would receive is lost': cutHost('in'),
  'relay killed': (campaign) => {
    const host = campaign.another();
    host.signal('SIGKILL', host.relays());
    return Promise.resolve();
  },
  'host killed': async (campaign) => {
    const host = campaign.another();
    await host.kill();
    await setTimeout(1_000);
    await host.begin(1, 'crew');
    campaign.work(host);
  },
  'machine lost': async (campaign) => {
    const host = campaign.another();
    await host.lose();
    await beginAnew(campaign, host);
  },
  'machine of the lead lost': async (campaign) => {
    const { lead } = campaign;
    await lead.lose();
    await campaign.takeOver();
    await beginAnew(campaign, lead);
  },
  'lead stopped beyond its lease': async (campaign) => {
    const { lead } = campaign;
    const processes = lead.processes().filter(({ command }) => / (?:run|resume) /.test(command));
    lead.signal('SIGSTOP', processes);
    await setTimeout(BEYOND_LEASE_MS);
    await campaign.takeOver();
    lead.signal('SIGCONT', processes);
  },
  'relay stopped beyond leases': stopped((campaign) => {
    const host = campaign.another();
    return [host, host.relays()];
  }),
  'member stopped beyond its lease': stopped((campaign) => {
    const host = campaign.another();
    return [host, host.members()];
  }),
};
/** Faults that need networks which can be cut. */
export const CUTS = ['primary cut off, standby promoted', 'host cut off', 'what a relay'];

/** @returns the file of a key for the user of all machines */
export function newKey(place: Workplace): string {
  const key = join(place.root, 'key');
  openSeal(realDisk, key).sign({});
  return key;
}

/** The tasks that were completed under a claim that had not been taken back, once for each such record. */
export function handedIn(log: string): string[] {
  const released = new Set<string>();
  return [...log.matchAll(/"type":"task\.(released|completed)","task":"(\d+)","epoch":(\d+)/g)].flatMap(
    ([, what, task = '', epoch = '']) => {
      if (what === 'released') released.add(`${task} ${epoch}`);
      return what === 'completed' && !released.has(`${task} ${epoch}`) ? [task] : [];
    },
  );
}

export const twice = (all: readonly string[]): string[] => all.filter((one, at) => all.indexOf(one) !== at);

export const loadNow = (): string =>
  `load ${spawnSync('cut', ['-d ', '-f1', '/proc/loadavg'], { encoding: 'utf8' }).stdout.trim()}`;
