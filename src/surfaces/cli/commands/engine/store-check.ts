/** `teams store check`: what a PostgreSQL server can be trusted with, as the store of teams. */
import {
  checkEngine,
  type EngineReport,
  ENV,
  keysIn,
  ownPublicKey,
  realClock,
  shownAddress,
  trustedKeys,
} from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { table } from '../../output/table.ts';
import type { Act } from '../../verb.ts';
import { storeAddress } from './store-address.ts';

/** By so much the clocks of two machines may differ before it is said, in milliseconds. */
const CLOCK_MS = 60_000;

export const act: Act = async (context, given) => {
  const address = storeAddress(context, given.words);
  const report = await checkEngine(address, realClock);
  const checks = [...checksOf(report), ...keyChecks(context)];
  const faults = checks.filter(({ ok }) => !ok);
  context.result(
    { store: shownAddress(address), checks },
    [
      table(checks.map(({ ok, name, found }) => [ok ? 'ok' : 'NOT OK', name, found])),
      ...(faults.length === 0 ? [] : ['', 'Cures', ...faults.map(({ name, cure }) => `  ${name}: ${cure ?? ''}`)]),
    ].join('\n'),
  );
  return faults.length === 0 ? 0 : 1;
};

interface StoreCheck {
  readonly ok: boolean;
  readonly name: string;
  readonly found: string;
  readonly cure?: string;
}

function checksOf({ server, schema, standbys, seesStandbys, hosts }: EngineReport): StoreCheck[] {
  const apart = Math.abs(server.now - server.heard);
  return [
    { ok: true, name: 'server', found: `PostgreSQL ${server.version}, timeline ${String(server.timeline)}` },
    {
      ok: schema !== undefined,
      name: 'schema',
      found: schema === undefined ? 'none' : `version ${String(schema)}`,
      cure: 'teams store init',
    },
    {
      ok: server.fullPageWrites,
      name: 'full_page_writes',
      found: server.fullPageWrites ? 'on' : 'off: a power loss may damage pages',
      cure: 'set full_page_writes = on',
    },
    {
      ok: !server.isSuperuser,
      name: 'role',
      found: server.isSuperuser ? 'a superuser' : 'no superuser',
      cure: 'use a role that owns nothing but its database, or one of `teams store init --grant`',
    },
    { ok: true, name: 'connection', found: server.isEncrypted ? 'encrypted' : 'not encrypted' },
    {
      ok: apart < CLOCK_MS,
      name: 'clock',
      found: `differs from this machine's by ${(apart / 1000).toFixed(1)} s`,
      cure: 'synchronise the clocks (NTP); leases go by the engine, times in views by each machine',
    },
    { ok: true, name: 'standbys', found: standbyText(standbys, seesStandbys) },
    { ok: true, name: 'hosts', found: hosts.length === 0 ? 'none' : hosts.map(hostText).join('; ') },
  ];
}

/** Whose words count on this machine. */
function keyChecks({ io }: CliContext): StoreCheck[] {
  const trusted = [...trustedKeys(), ...keysIn(io.environment).map((key) => `${key} (${ENV.trust})`)];
  const key = ownPublicKey();
  return [
    { ok: true, name: 'key', found: `${key} signs here; elsewhere say \`teams host --trust ${key}\`` },
    { ok: true, name: 'trusts', found: trusted.length === 0 ? 'no other key' : trusted.join('; ') },
  ];
}

function hostText({ name, slots, used, labels, onlyTeam }: EngineReport['hosts'][number]): string {
  const rest = [...(labels.length === 0 ? [] : [labels.join(',')]), ...(onlyTeam === null ? [] : [`team ${onlyTeam}`])];
  return [`${name} ${String(used)} of ${String(slots)} slots`, ...rest].join(', ');
}

function standbyText(standbys: EngineReport['standbys'], isSeen: boolean): string {
  if (!isSeen) return 'not visible to this role (pg_monitor sees them)';
  if (standbys.length === 0) return 'none: what this machine acknowledged is lost with its disk';
  const synchronous = standbys.filter(({ isSynchronous }) => isSynchronous).map(({ name }) => name);
  if (synchronous.length === 0)
    return `${String(standbys.length)}, none synchronous: a failover may lose records that were acknowledged`;
  return `${synchronous.join(', ')} synchronous: a failover to it loses nothing; to another one it may`;
}
