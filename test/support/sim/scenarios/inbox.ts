/**
 * One inbox: senders, a member that takes and is restarted, sometimes the v8 writer, and deaths anywhere. How mail is
 * sent and read is a value (`Mailbox`), so that a mutant changes one part and shares the rest.
 */
import { isTeamError } from '../../../../src/model/text/errors.ts';
import type { Message } from '../../../../src/model/team/message.ts';
import { Locks } from '../../../../src/store/lock/lock.ts';
import type { TeamPaths } from '../../../../src/store/files/paths.ts';
import { teamPaths } from '../../../../src/store/files/paths.ts';
import { pinDirectory } from '../../../../src/store/files/pinned.ts';
import { Reader } from '../../../../src/store/mail/reader.ts';
import { Sender } from '../../../../src/store/mail/sender.ts';
import { MANY, name } from '../../team.ts';
import type { Body, Run } from '../life.ts';
import { Machine } from '../machine.ts';
import type { Plan } from '../faults.ts';
import { Random } from '../random.ts';
import { v8Writer } from './v8-writer.ts';

const ADA = name('ada');
export const PATHS: TeamPaths = teamPaths('/', name('login'));
export const INBOX = PATHS.inbox(ADA);

export interface Mail {
  readonly take: (max?: number) => Promise<Message[]>;
  readonly acknowledge: (mail: readonly Message[]) => void;
  readonly tidy: () => void;
  readonly hasMore: () => boolean;
}

/** How mail is sent and read. */
export interface Mailbox {
  readonly send: (run: Run, from: string) => (text: string) => Promise<unknown>;
  readonly read: (run: Run, isCurrent: () => boolean) => Mail;
}

export const ours: Mailbox = {
  send(run, from) {
    const { disk, clock } = run;
    const locks = new Locks(PATHS.tokens, run.lockEnvironment);
    const pinned = pinDirectory(disk, PATHS.folder);
    const sender = new Sender(PATHS, { disk, clock, locks, pinned, quota: MANY });
    return (content) => sender.send({ sender: from, recipient: ADA, draft: { type: 'message', content } });
  },
  read(run, isCurrent) {
    const { disk, clock } = run;
    const locks = new Locks(PATHS.tokens, run.lockEnvironment);
    return new Reader(PATHS, ADA, { disk, clock, locks, isCurrent });
  },
};

/** The current life of the member, as the board would say. */
interface Member {
  current: number;
}

interface Variant {
  readonly mailbox?: Mailbox;
  readonly plan?: Plan;
  /** The share of seeds with a foreign writer. */
  readonly foreign?: number;
  /** The number of tries after which it writes without the lock. */
  readonly tries?: number;
}

const PLAN: Plan = { within: 300, kills: 3, pauses: 2, shortWrites: 1, full: true };

export async function inboxScenario(seed: number, variant: Variant = {}) {
  const { mailbox = ours, plan = PLAN, foreign = 0.4, tries } = variant;
  const random = new Random(seed);
  const machine = new Machine(random, { ...plan, powerLoss: random.chance(0.15) });
  const member: Member = { current: 0 };
  lay(machine);
  const says = random.of([['v8 1'], ['v8 1', 'v8 2'], ['v8 again', 'v8 again']]);
  const senders = says[0] === 'v8 again' ? random.below(2) : 1 + random.below(4);
  for (const from of ['bob', 'cy', 'dee', 'eve'].slice(0, senders))
    machine.start(from, sends(mailbox, from, batches(random, from)));
  const takes = { rounds: 2 + random.below(3), max: random.of([1, 2, 99]), isLazy: random.chance(0.3) };
  const begin = (lives: number): void =>
    void machine.start('ada', reads(mailbox, member, takes), () => lives > 1 && begin(lives - 1));
  begin(3);
  if (random.chance(0.3)) begin(1);
  if (senders === 0 || random.chance(foreign)) machine.start('v8', v8Writer(INBOX, says, tries ?? random.of([2, 50])));
  await machine.run();
  await settle(machine, mailbox, member);
  return machine;
}

/** Every process stops for long, and a foreign writer removes their lock meanwhile. */
export const ROBBED: Variant = { plan: { within: 150, pauses: 16 }, foreign: 1, tries: 2 };

function lay(machine: Machine): void {
  const { files } = machine;
  for (const path of ['/.teams', PATHS.folder]) files.mkdir(path);
  files.create(INBOX.bell, 0o600);
  files.sync();
}

/** Without faults: existing mail is handled, and leftovers of the dead are removed. */
async function settle(machine: Machine, mailbox: Mailbox, member: Member): Promise<void> {
  machine.faults.isHealed = true;
  await machine.run();
  machine.start('ada', reads(mailbox, member, { rounds: 4, max: 99, isLazy: false, isLast: true }));
  await machine.run();
  machine.start('sweeper', (run) => {
    const locks = new Locks(PATHS.tokens, run.lockEnvironment);
    // What a power loss left of a token is removed by the second sweep.
    for (let again = 0; again < 2; again += 1) locks.sweep([PATHS.folder]);
    locks.close();
  });
  await machine.run();
}

function batches(random: Random, from: string): string[][] {
  let number = 0;
  const text = (): string => `${from} ${(number += 1)} ${'.'.repeat(random.below(60))}`;
  return Array.from({ length: 1 + random.below(3) }, () => Array.from({ length: 1 + random.below(2) }, text));
}

const sends =
  (mailbox: Mailbox, from: string, all: readonly (readonly string[])[]): Body =>
  async (run) => {
    const send = mailbox.send(run, from);
    for (const batch of all) await Promise.all(batch.map((text) => sendOne(run, send, text)));
  };

async function sendOne(run: Run, send: (text: string) => Promise<unknown>, text: string): Promise<void> {
  run.note({ kind: 'sending', text });
  const error = await send(text).then(() => undefined, expected);
  run.note({ kind: error === undefined ? 'sent' : 'refused', text });
}

/** A failure that the store reports is an outcome; anything else is a bug, or the end of this run. */
function expected(error: unknown): Error {
  if (isTeamError(error)) return error;
  throw error;
}

interface Takes {
  readonly rounds: number;
  readonly max: number;
  /** Acknowledges late, all at once. */
  readonly isLazy: boolean;
  /** The last reader waits until its segments are finished. */
  readonly isLast?: boolean;
}

const reads =
  (mailbox: Mailbox, member: Member, { rounds, max, isLazy, isLast = false }: Takes): Body =>
  async (run) => {
    const mine = run.life.number;
    run.look('become current', () => (member.current = mine));
    run.note({ kind: 'began reading' });
    const isCurrent = (): boolean => run.look('is current', () => member.current === mine);
    const mail = mailbox.read(run, isCurrent);
    const open: Message[] = [];
    for (let round = 0; round < rounds || (isLast && round < 20 && mail.hasMore()); round += 1) {
      open.push(...(await handled(run, mail, max)));
      if (!isLazy || round === rounds - 1) acknowledged(run, mail, open.splice(0));
      run.sleep(isLast ? 3_100 : ([1, 4_000][round % 2] ?? 1));
      attempt(() => mail.tidy());
    }
  };

async function handled(run: Run, mail: Mail, max: number): Promise<Message[]> {
  const taken = await mail.take(max).catch((error: unknown) => void expected(error));
  for (const { id, content, redelivered = false } of taken ?? [])
    run.note({ kind: 'handled', id, text: content, isRedelivered: redelivered });
  return taken ?? [];
}

function acknowledged(run: Run, mail: Mail, open: readonly Message[]): void {
  if (attempt(() => mail.acknowledge(open))) run.note({ kind: 'acknowledged', ids: open.map(({ id }) => id) });
}

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    expected(error);
    return false;
  }
}
