/** Brings a replica up to what the store has, after a look whether it is of the same order; and the mail after it. */
import type { Name } from '../../model/text/names.ts';
import type { NotifiedMail } from '../../store/engine/engine-rows.ts';
import type { EngineOrder, EngineSession } from '../../store/engine/engine-session.ts';
import type { Replica } from '../../store/engine/replica.ts';
import type { GrownLog, ReplicaTeam, SentMail } from './relay-acts.ts';
import { unlessFull } from './team-mail.ts';

/** @throws StoreError `ENGINE_DIVERGED` */
export async function requireSame(session: EngineSession, replica: Replica, of: EngineOrder = 'log'): Promise<void> {
  if (!(await isSame(session, replica, of))) throw replica.diverged();
}

export async function isSame(session: EngineSession, replica: Replica, of: EngineOrder = 'log'): Promise<boolean> {
  // Number and text are read together: a record that comes between the two would look like a loss.
  const { number, line } = replica.position;
  return number === 0 || (await session.line(replica.id, number, of)) === line;
}

/** What a process takes its lease for, before it acts. */
const BEGINS = /"type":"(?:member\.started|lead\.took)"/;

export async function catchUp(session: EngineSession, team: ReplicaTeam): Promise<void> {
  const { replica } = team;
  for (;;) {
    const { found, isAll } = await session.after(replica.id, replica.position.number);
    await add(session, team, found);
    if (isAll) return;
  }
}

/** What was read while records were written. */
export async function catchUpWith(session: EngineSession, { team, after, lines }: GrownLog): Promise<void> {
  if (lines === undefined) return catchUp(session, team);
  const known = team.replica.position.number - after;
  await add(session, team, lines.slice(known));
}

async function add(session: EngineSession, { replica, mail }: ReplicaTeam, lines: readonly string[]): Promise<void> {
  if (lines.some((line) => BEGINS.test(line))) await mail.note(session);
  // A record is here after what it names.
  for (const line of lines) await mail.bring(session, line);
  replica.append(lines);
}

/** Mail that was stored from here: what it is about is here already. */
export async function bringSent(session: EngineSession, { team, recipient, mail }: SentMail): Promise<void> {
  const [first] = mail;
  const box = team.mail.boxHere(recipient);
  if (first === undefined || box === undefined) return;
  // Numbers with a gap: one of them was sent before.
  const isWhole = mail.every(({ number }, at) => number === first.number + at);
  const after = isWhole ? first.number - 1 : Number.POSITIVE_INFINITY;
  await unlessFull(box.arrive(session, mail, { after, isAll: true }));
}

/** Mail that another machine has stored, notified whole: it may be about a record that is not here yet. */
export async function bringNotified(session: EngineSession, team: ReplicaTeam, mail: NotifiedMail): Promise<void> {
  const box = team.mail.boxHere(mail.member);
  if (box === undefined || mail.number <= box.last) return;
  if (mail.log > team.replica.position.number) await catchUp(session, team);
  await unlessFull(box.arrive(session, [mail], { after: mail.number - 1, isAll: true }));
}

/**
 * As {@link bringNotified}, if it was not notified whole.
 *
 * @param last the number of the last message
 */
export async function bringMail(session: EngineSession, team: ReplicaTeam, member: Name, last: number): Promise<void> {
  const box = team.mail.boxHere(member);
  if (box === undefined || last <= box.last) return;
  const after = box.last;
  const { found, isAll, log } = await session.mail.after(team.replica.id, member, after);
  if (log > team.replica.position.number) await catchUp(session, team);
  await unlessFull(box.arrive(session, found, { after, isAll }));
}
