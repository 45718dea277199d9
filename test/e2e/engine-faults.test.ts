/**
 * The campaign of a team in a store on four machines, with a primary and a synchronous standby: every kind of fault in
 * the middle of work (/docs/scale-out.md). `npm run test:engine` has each kind 20 times (`ENGINE_FAULTS`), `npm test` a
 * short form. Two teams work: in one, workers write down what was acknowledged to them; in the other a lead has members
 * on hosts.
 */
import { writeFileSync } from 'node:fs';
import { expect, describe, it } from 'vitest';
import { parseEngineAddress } from '../../src/model/config/engine-address.ts';
import { realClock } from '../../src/os/system-clock.ts';
import { initEngine } from '../../src/store/engine/engine-setup.ts';
import { Workplace } from '../support/cli.ts';
import { Campaign, CUTS, DATABASE, FAULTS, handedIn, HOSTS, loadNow, twice } from '../support/engine-campaign.ts';
import { ENGINES, EnginePair } from '../support/engine-pair.ts';
import { allowLeft } from '../support/leftovers.ts';
import { Networks } from '../support/networks.ts';
import { hasPostgres } from '../support/postgres.ts';

/** How often each kind of fault comes; the short form has only the quick ones, once. */
const ROUNDS = Number(process.env['ENGINE_FAULTS'] ?? '0');
const ONLY = process.env['ENGINE_ONLY']?.split(',');
const QUICK = ['engine killed', 'primary cut off, standby promoted', 'host cut off', 'relay killed'];

async function judge(campaign: Campaign, tasks: number): Promise<string> {
  const { hosts, engines } = campaign;
  // The workers may still write down answers; what they have now must be in the store that is read after it.
  const said = hosts.flatMap((host) => host.acknowledged());
  const stored = async (team: string): Promise<string> => {
    const rows = await engines.ask<{ line: string }>(
      `select line from teams.log join teams.team on team.id = log.team where name = '${team}' order by number`,
      DATABASE,
    );
    return rows.map(({ line }) => `\n${line}\n`).join('');
  };
  for (const team of ['raw', 'crew'])
    await expect
      .poll(
        async () => {
          const bytes = await stored(team);
          return hosts.map((host) => host.log(team) === bytes);
        },
        { timeout: 60_000 },
      )
      .toEqual(hosts.map(() => true));
  const raw = await stored('raw');
  const mail = await engines.ask<{ content: string }>(
    `select line::jsonb ->> 'content' as content from teams.mail where member = 'reader'`,
    DATABASE,
  );
  const of = (what: string): string[] => said.filter((one) => one.what === what).map(({ words }) => words);
  const subjects = new Set([...raw.matchAll(/"subject":"([^"]*)"/g)].map(([, subject]) => subject));
  const claims = new Set(
    [...raw.matchAll(/"type":"task\.completed","task":"(\d+)","epoch":(\d+)/g)].map(
      ([, t, e]) => `${t ?? ''} ${e ?? ''}`,
    ),
  );
  const kept = mail.map(({ content }) => content);
  const has = new Set(kept);
  expect(of('made').filter((subject) => !subjects.has(subject))).toEqual([]);
  expect(of('completed').filter((claim) => !claims.has(claim))).toEqual([]);
  expect(of('sent').filter((content) => !has.has(content))).toEqual([]);
  for (const what of ['made', 'claimed', 'completed', 'sent']) expect(of(what)).not.toEqual([]);
  // Nothing twice: claims that were won, tasks that were handed in, mail.
  expect(twice(of('claimed'))).toEqual([]);
  expect(twice(of('completed').map((claim) => claim.split(' ')[0] ?? ''))).toEqual([]);
  expect(twice(kept)).toEqual([]);
  const done = handedIn(await stored('crew'));
  expect(new Set(done).size).toBe(tasks);
  expect(twice(done)).toEqual([]);
  await expect.poll(() => hosts.flatMap((host) => host.members()), { timeout: 20_000 }).toEqual([]);
  const counts = ['made', 'claimed', 'completed', 'sent', 'lost', 'refused'].map(
    (what) => `${what} ${of(what).length}`,
  );
  return `${counts.join(', ')}; ${String(done.length)} tasks of the crew; records ${String(raw.match(/\n\{/g)?.length)}`;
}

describe.skipIf(!hasPostgres)('a team in a store on four machines', { timeout: 4 * 3_600_000 }, () => {
  it('loses nothing that was acknowledged, and does every task, whatever fails', async () => {
    allowLeft();
    const network = Networks.open([...ENGINES, ...HOSTS]);
    const place = new Workplace();
    const names = Object.keys(FAULTS)
      .filter((name) => network.canCut || !CUTS.some((cut) => name.startsWith(cut)))
      .filter((name) => ONLY?.some((one) => name.startsWith(one)) ?? (ROUNDS > 0 || QUICK.includes(name)));
    const faults = Array.from({ length: Math.max(ROUNDS, 1) }, () => names).flat();
    const tasks = 20 + faults.length * 8;
    let engines: EnginePair | undefined;
    let campaign: Campaign | undefined;
    const silences = new Map<string, number[]>();
    try {
      engines = await EnginePair.start(network);
      await engines.ask(`create database ${DATABASE}`);
      const socket = `postgres://owner@/${DATABASE}?host=${engines.primary.home}:${String(engines.primary.port)}`;
      await initEngine(parseEngineAddress(socket, 'environment'), [], realClock);
      campaign = new Campaign(network, engines, place);
      await campaign.begin(tasks);
      await campaign.progress();
      for (const [at, name] of faults.entries()) {
        const begun = realClock.now();
        await FAULTS[name]?.(campaign);
        await campaign.progress();
        const silence = campaign.silence(begun);
        silences.set(name, [...(silences.get(name) ?? []), silence]);
        if (ROUNDS > 0)
          process.stderr.write(
            `${String(at + 1)}/${String(faults.length)} ${name}: ${String(silence)} ms, ${loadNow()}\n`,
          );
      }
      await campaign.crewEnds();
      writeFileSync(campaign.stop, '');
      const counts = await judge(campaign, tasks);
      if (ROUNDS > 0) {
        for (const [name, all] of silences) {
          const sorted = all.toSorted((a, b) => a - b);
          const [p50, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
          process.stderr.write(
            `${name}: ${String(all.length)} times, longest time without an answer p50 ${String(p50)} ms, at most ${String(most)} ms\n`,
          );
        }
        process.stderr.write(`${counts}; ${loadNow()}\n`);
      }
    } finally {
      for (const host of campaign?.hosts ?? []) await host.kill();
      await engines?.stop();
      network.close();
    }
  });
});
