/** Moves of a team between files and the engine: each is one transaction, which says in its row that it was made. */
import * as z from 'zod';
import { ConflictError, StoreError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import { resultsNamedIn } from '../board/results.ts';
import { decideMove, type Move } from './moves.ts';
import { holderIn } from '../replica/elsewhere.ts';
import { blobsIn, type CarriedMail, type CarriedTeam } from './carried-team.ts';
import type { EngineSession } from './engine-session.ts';

/** Bytes of one question. */
const MOST = 8 * 1024 * 1024;

const bringRow = z.object({ last: z.coerce.number() });

/**
 * Puts a team into the engine, or nothing of it.
 *
 * @param owner of the leases of members who have taken mail
 * @throws ConflictError `TEAM_EXISTS`, `REFUSED`; StoreError `ENGINE_UNFIT`, `NO_SPACE`; SessionLost: then
 *   {@link decideMove} knows
 */
export function bringTeam(session: EngineSession, move: Move, team: CarriedTeam, owner: string): Promise<void> {
  return session.transaction(async () => {
    await makeMove(session, move);
    const text = 'select teams.bring_team($1, $2) as last';
    const [{ last } = { last: 0 }] = await session.ask(text, [team.id, team.name], bringRow);
    if (last > 0 && (await session.line(team.id, last)) !== team.lines[last - 1])
      throw new StoreError(
        'ENGINE_UNFIT',
        `The store has had team ${team.name} before, with other records than its files have: nothing was moved.`,
      );
    for (const part of parted(team.lines.slice(last))) await session.append(team.id, part, last);
    let reserved = 0;
    for (const part of parted(team.ledger)) {
      await session.appendLedger(team.id, reserved, part);
      reserved += part.length;
    }
    for (const [name, body] of team.documents)
      await session.ask('select teams.write_document($1, $2, 0, $3)', [team.id, name, body]);
    for (const one of team.texts) await session.keep(team.id, one);
    for (const { member, lines, isTaken } of team.mail) {
      for (const part of parted(lines)) await session.mail.send(team.id, member, part);
      // It lapses at once.
      if (isTaken) await session.takeLease(team.id, member, owner, 0);
    }
  });
}

/**
 * Takes a team out of the engine, or leaves it there as it is.
 *
 * @param write keeps it durably, while nobody can write to the team
 * @throws ConflictError `STILL_RUNNING`, `REFUSED`; StoreError `TEAM_GONE`, `ENGINE_UNFIT`, and what `write` throws;
 *   SessionLost: then {@link decideMove} knows
 */
export function sendTeamOff(session: EngineSession, move: Move, write: (team: CarriedTeam) => void): Promise<void> {
  return session.transaction(async () => {
    await makeMove(session, move);
    await session.ask('select teams.hold_team($1)', [move.team]);
    const leases = await session.leases(move.team);
    refuseRunning(
      move.name,
      leases.filter(({ seconds }) => seconds > 0),
    );
    const lapsed = new Set(leases.map(({ name }) => name));
    write(await carried(session, move, lapsed));
    await session.ask('select teams.send_off_team($1)', [move.team]);
  });
}

async function carried(
  session: EngineSession,
  { team: id, name }: Move,
  lapsed: ReadonlySet<Name>,
): Promise<CarriedTeam> {
  const lines = await session.all(id, 'log');
  const ledger = await session.all(id, 'ledger');
  const mail: CarriedMail[] = [];
  for (const { member } of await session.mail.list(id)) {
    const waiting: string[] = [];
    for (let [last, isOver] = [0, false]; !isOver;) {
      const { found, isAll } = await session.mail.after(id, member, last);
      waiting.push(...found.map(({ line }) => line));
      [last, isOver] = [found.at(-1)?.number ?? last, isAll];
    }
    if (waiting.length > 0) mail.push({ member, lines: waiting, isTaken: lapsed.has(member) });
  }
  const hashes = [
    ...lines.flatMap((line) => [...resultsNamedIn(line)].map(({ hash }) => hash)),
    ...blobsIn(lines, mail),
  ];
  const texts: string[] = [];
  for (const hash of new Set(hashes)) {
    const text = await session.kept(id, hash);
    if (text !== undefined) texts.push(text);
  }
  return { id, name, lines, ledger, documents: await session.documents(id), mail, texts };
}

/** @throws ConflictError `REFUSED` */
async function makeMove(session: EngineSession, move: Move): Promise<void> {
  if ((await decideMove(session, move, 'moved')) === 'moved') return;
  throw new ConflictError('REFUSED', `Another process has given up this move of team ${move.name}: say it again.`);
}

function refuseRunning(team: Name, leases: readonly { readonly name: Name; readonly owner: string }[]): void {
  if (leases.length === 0) return;
  const who = leases.map(({ name, owner }) => {
    const holder = holderIn(owner);
    return holder === undefined ? name : `${name} (pid ${String(holder.pid)} on ${holder.machine})`;
  });
  throw stillRunning(team, who);
}

/** @param who those who run, in words */
export const stillRunning = (team: Name, who: readonly string[]): ConflictError =>
  new ConflictError(
    'STILL_RUNNING',
    `Team ${team} can be moved only while nobody works in it: end ${who.join(', ')} first.`,
  );

/** In questions of at most {@link MOST} bytes. */
function* parted(lines: readonly string[]): Generator<string[]> {
  let part: string[] = [];
  let size = 0;
  for (const line of lines) {
    if (part.length > 0 && size + line.length > MOST) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(line);
    size += line.length;
  }
  if (part.length > 0) yield part;
}
