/**
 * Real processes send, take, create, claim and complete at full speed while a random one is killed with kill -9 or
 * stopped, again and again. Each writes what was acknowledged to it into a ledger; at the end the ledgers are compared
 * with what was handled and with the board.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { beforeEach, expect, it } from 'vitest';
import { figure } from '../support/figures.ts';
import { allowGuards } from '../support/leftovers.ts';
import { program } from '../support/programs.ts';
import { SIZES, TIMEOUT_MS } from '../support/sizes.ts';
import type { TeamPaths } from '../../src/store/files/paths.ts';
import { boardOf, hang, name, openBoard, PERSON, readerOf, teamAt } from '../support/team.ts';
import { tempDir } from '../support/temp.ts';
import { start, type Worker } from '../support/workers.ts';

beforeEach(allowGuards);

const MEMBERS = ['ada', 'bob', 'cy', 'dee', 'eve', 'flo'];
/** Milliseconds between two signals at most, and how long a stopped process stays so. */
const BETWEEN_MS = 500;
const STOPPED_MS = [20, 200, 2_000, 6_000];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const random = (below: number): number => Math.floor(Math.random() * below);

it('random kills and stops lose, double and reorder nothing', { timeout: TIMEOUT_MS }, async () => {
  const root = tempDir();
  const paths = teamAt(root);
  hang(paths, ...MEMBERS.map(name));
  const incs = openBoard(paths, MEMBERS);
  const lead = boardOf(paths);
  const lives = new Map<string, Worker>();

  const begin = async (member: string): Promise<void> => {
    const others = MEMBERS.filter((other) => other !== member);
    const options = { root, team: paths.name, member, others, inc: incs[member] };
    const worker = start(process.execPath, [program('campaign-worker'), JSON.stringify(options)], root);
    lives.set(member, worker);
    await worker.next();
  };

  /** The board learns of the death as from a lead: the claim is free, and a new incarnation may start. */
  const beginAnew = async (member: string): Promise<void> => {
    const after = incs[member] ?? null;
    const inc = (incs[member] = ulid());
    for (const { id, status, claims, owner } of lead.fold().tasks.values())
      if (status === 'in_progress' && owner === name(member))
        await lead.append(PERSON, () => ({
          type: 'task.released',
          task: id,
          epoch: claims,
          reason: 'released',
          why: 'killed',
        }));
    await lead.append(PERSON, () => ({ type: 'member.started', name: name(member), inc, after }));
    await begin(member);
  };

  await Promise.all(MEMBERS.map(begin));
  let [kills, stops] = [0, 0];
  while (kills < SIZES.campaignKills || acknowledged(root) < SIZES.campaignMail) {
    await pause(random(BETWEEN_MS));
    const member = MEMBERS[random(MEMBERS.length)] ?? 'ada';
    const worker = lives.get(member);
    if (random(4) === 0) {
      stops += 1;
      worker?.child.kill('SIGSTOP');
      await pause(STOPPED_MS[random(STOPPED_MS.length)] ?? 0);
      worker?.child.kill('SIGCONT');
    } else {
      kills += 1;
      await worker?.kill();
      await beginAnew(member);
    }
  }
  writeFileSync(join(root, 'stop'), '');
  for (const worker of lives.values()) await worker.result();
  for (const member of MEMBERS) await takeRest(root, paths, member);

  const mail = judgeMail(root);
  const claims = judgeClaims(root, lead.fold().tasks);
  lead.close();
  figure({
    area: `random kills (${kills}) and stops (${stops}): acknowledged messages`,
    count: mail.sent,
    violations: mail.lost.length + mail.doubled.length + mail.disordered.length,
  });
  figure({
    area: `random kills (${kills}) and stops (${stops}): claims`,
    count: claims.claimed,
    violations: claims.double.length + claims.lost.length,
  });
  const { lost, doubled, disordered } = mail;
  expect({ lost, doubled, disordered }).toEqual({ lost: [], doubled: [], disordered: [] });
  expect({ double: claims.double, lost: claims.lost }).toEqual({ double: [], lost: [] });
  expect(claims.claimed).toBeGreaterThan(0);
});

const ledger = (root: string, member: string): string[][] => {
  try {
    const text = readFileSync(join(root, `${member}.ledger`), 'utf8');
    return text.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')]));
  } catch {
    return []; // It was not yet there.
  }
};

/** A worker that saw the end first does not wait for what others still send to it: it lies in its inbox. */
async function takeRest(root: string, paths: TeamPaths, member: string): Promise<void> {
  const { reader, close } = readerOf(paths, name(member));
  for (let mail = await reader.take(); mail.length > 0; mail = await reader.take()) {
    const lines = mail.map(({ content, redelivered }) => `${redelivered === true ? 'again' : 'handled'} ${content}\n`);
    appendFileSync(join(root, `${member}.ledger`), lines.join(''));
    reader.acknowledge(mail);
  }
  close();
}

const acknowledged = (root: string): number =>
  MEMBERS.flatMap((member) => ledger(root, member)).filter(([kind]) => kind === 'sent').length;

function judgeMail(root: string): {
  readonly sent: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly disordered: readonly string[];
} {
  const all = new Map(MEMBERS.map((member) => [member, ledger(root, member)]));
  const handled = new Set<string>();
  const doubled: string[] = [];
  const disordered: string[] = [];
  for (const [, lines] of all) {
    const last = new Map<string, number>();
    for (const [kind, content = ''] of lines) {
      if (kind !== 'handled' && kind !== 'again') continue;
      // A second delivery is marked.
      if (kind === 'handled' && handled.has(content)) doubled.push(content);
      if (handled.has(content)) continue;
      handled.add(content);
      const [way = '', inc = '', round = '0', number = '0'] = content.split(':');
      const at = Number(round) * 1_000 + Number(number);
      if (at < (last.get(`${way} ${inc}`) ?? -1)) disordered.push(content);
      last.set(`${way} ${inc}`, at);
    }
  }
  const sent = [...all.values()].flat().flatMap(([kind, content = '']) => (kind === 'sent' ? [content] : []));
  return { sent: sent.length, lost: sent.filter((content) => !handled.has(content)), doubled, disordered };
}

function repeated(all: readonly string[]): string[] {
  const seen = new Set<string>();
  return all.filter((one) => seen.size === seen.add(one).size);
}

function judgeClaims(
  root: string,
  tasks: ReadonlyMap<string, { readonly subject: string; readonly status: string }>,
): { readonly claimed: number; readonly double: readonly string[]; readonly lost: readonly string[] } {
  const lines = MEMBERS.flatMap((member) => ledger(root, member));
  const of = (kind: string): string[] => lines.flatMap(([is, ...rest]) => (is === kind ? [rest.join(' ')] : []));
  const claimed = of('claimed');
  const there = new Set([...tasks.values()].map(({ subject }) => subject));
  return {
    claimed: claimed.length,
    double: repeated(claimed),
    lost: [
      ...of('made').filter((subject) => !there.has(subject)),
      ...of('completed').filter((claim) => tasks.get(claim.split(' ')[0] ?? '')?.status !== 'completed'),
    ],
  };
}
