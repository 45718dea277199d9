/** Carries out in the engine what processes of the machine ask of their relay, and says what came of it. */
import { isTeamError } from '../../model/text/errors.ts';
import { isMemberName, type Name } from '../../model/text/names.ts';
import type { EngineMail } from '../../store/engine/engine-rows.ts';
import type { EngineSession } from '../../store/engine/engine-session.ts';
import type { Replica } from '../../store/engine/replica.ts';
import type { RelayAnswer } from '../../store/replica/relay-answer.ts';
import type { RelayRequest } from '../../store/replica/relay-request.ts';
import type { ReplicaCheckpoint } from './replica-checkpoint.ts';
import type { TeamMail } from './team-mail.ts';

export interface Waiting {
  readonly request: RelayRequest;
  readonly answer: (answer: RelayAnswer) => void;
}

export interface Answered {
  readonly one: Waiting;
  readonly said: RelayAnswer;
}

/** A team of the store, in the replica. */
export interface ReplicaTeam {
  readonly replica: Replica;
  readonly mail: TeamMail;
  readonly checkpoint: ReplicaCheckpoint;
}
type Teams = ReadonlyMap<Name, ReplicaTeam>;

/** Makes teams. One whose answer was lost is there already. */
export async function made(session: EngineSession, waiting: readonly Waiting[]): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const one of asked(waiting, 'create')) {
    const { team, body } = one.request;
    const said = await answerOf(session.create(team, body));
    const isThere = !said.ok && (await session.teams()).some(({ id }) => id === body.id);
    answers.push({ one, said: isThere ? { ok: true } : said });
  }
  return answers;
}

/** A log that has grown: its records after a number, or undefined if they are too many for one answer. */
export interface GrownLog {
  readonly team: ReplicaTeam;
  readonly after: number;
  readonly lines: readonly string[] | undefined;
}

/**
 * Appends the records of one tick.
 *
 * @param grown gets the logs that they are in
 */
export function written(
  session: EngineSession,
  waiting: readonly Waiting[],
  teams: Teams,
  grown: GrownLog[],
): Promise<Answered[]> {
  return together(
    asked(waiting, 'append'),
    teams,
    ({ request: { team } }) => team,
    async (team, all) => {
      const after = team.replica.position.number;
      const records = all.map(({ request: { body } }) => body);
      grown.push({ team, after, lines: await session.append(team.replica.id, records, after) });
    },
  );
}

/** Mail of one recipient that was stored. */
export interface SentMail {
  readonly team: ReplicaTeam;
  readonly recipient: Name;
  readonly mail: readonly EngineMail[];
}

/**
 * Stores the mail of one tick, first the long bodies that it names.
 *
 * @param sent gets what was stored
 */
export function posted(
  session: EngineSession,
  waiting: readonly Waiting[],
  teams: Teams,
  sent: SentMail[],
): Promise<Answered[]> {
  return together(
    asked(waiting, 'send'),
    teams,
    ({ request: { team, body } }) => `${team} ${body.recipient}`,
    async (team, all) => {
      const { id } = team.replica;
      for (const { request } of all) if (request.body.blob !== undefined) await session.keep(id, request.body.blob);
      const [first] = all;
      if (first === undefined) return;
      const { recipient } = first.request.body;
      const lines = all.map(({ request: { body } }) => body.line);
      const numbers = await session.mail.send(id, recipient, lines);
      sent.push({ team, recipient, mail: numbers.flatMap((number, at) => ({ number, line: lines[at] ?? '' })) });
    },
  );
}

/** Tells other machines to wake members. */
export async function rung(session: EngineSession, waiting: readonly Waiting[], teams: Teams): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const one of asked(waiting, 'ring')) {
    const { team, body } = one.request;
    const id = teams.get(team)?.replica.id;
    const done = id !== undefined && isMemberName(body) ? session.ring(id, body) : undefined;
    answers.push({ one, said: done === undefined ? gone(team) : await answerOf(done) });
  }
  return answers;
}

/** Keeps texts that later records name, and gives back those that are asked for. */
export async function kept(session: EngineSession, waiting: readonly Waiting[], teams: Teams): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const one of asked(waiting, 'keep')) {
    const { team, body } = one.request;
    const replica = teams.get(team)?.replica;
    answers.push({ one, said: replica ? await answerOf(session.keep(replica.id, body)) : gone(team) });
  }
  for (const one of asked(waiting, 'kept')) {
    const { team, body } = one.request;
    const replica = teams.get(team)?.replica;
    let text: string | undefined;
    const said = await answerOf(replica && session.kept(replica.id, body).then((found) => void (text = found)));
    answers.push({ one, said: replica === undefined ? gone(team) : said.ok ? { ok: true, text } : said });
  }
  return answers;
}

/** Changes what is written only by who knows what is there: configurations and ledgers; then ends teams. */
export const changed = async (
  session: EngineSession,
  waiting: readonly Waiting[],
  teams: Teams,
): Promise<Answered[]> => [
  ...(await configured(session, waiting, teams)),
  ...(await reserved(session, waiting, teams)),
  ...(await archived(session, waiting, teams)),
];

/** Takes leases, holds them for longer, and gives them back. */
export async function leased(session: EngineSession, waiting: readonly Waiting[], teams: Teams): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const one of [...asked(waiting, 'lease'), ...asked(waiting, 'leave')]) {
    const { request } = one;
    const mail = teams.get(request.team)?.mail;
    if (mail === undefined) answers.push({ one, said: gone(request.team) });
    else if (request.do === 'leave') answers.push({ one, said: await answerOf(mail.leave(session, request.body)) });
    else {
      let owner: string | undefined;
      const said = await answerOf(mail.lease(session, request.body).then((holder) => void (owner = holder)));
      answers.push({ one, said: said.ok ? { ok: true, owner } : said });
    }
  }
  return answers;
}

async function configured(session: EngineSession, waiting: readonly Waiting[], teams: Teams): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const one of asked(waiting, 'configure')) {
    const { team, body } = one.request;
    answers.push({ one, said: await unlessBehind(team, teams.get(team)?.mail.configure(session, body)) });
  }
  return answers;
}

/** Ends teams. One whose answer was lost has ended already. */
async function archived(session: EngineSession, waiting: readonly Waiting[], teams: Teams): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const one of asked(waiting, 'archive')) {
    const replica = teams.get(one.request.team)?.replica;
    answers.push({ one, said: replica ? await answerOf(session.archive(replica.id)) : { ok: true } });
  }
  return answers;
}

/** Appends to ledgers, one after the other: what is decided on an older account is refused. */
async function reserved(session: EngineSession, waiting: readonly Waiting[], teams: Teams): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const one of asked(waiting, 'ledger')) {
    const { team, body } = one.request;
    answers.push({ one, said: await unlessBehind(team, teams.get(team)?.mail.reserve(session, body)) });
  }
  return answers;
}

/** A request, by what is asked. */
type Asked<Key extends RelayRequest['do']> = Waiting & { readonly request: Extract<RelayRequest, { do: Key }> };

export const asked = <Key extends RelayRequest['do']>(waiting: readonly Waiting[], key: Key): Asked<Key>[] =>
  waiting.filter((one): one is Asked<Key> => one.request.do === key);

/** In one transaction for each place. One that is refused refuses all: each is then tried alone. */
async function together<One extends Waiting>(
  waiting: readonly One[],
  teams: Teams,
  placeOf: (one: One) => string,
  act: (team: ReplicaTeam, all: readonly One[]) => Promise<void>,
): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const place of new Set(waiting.map(placeOf))) {
    const all = waiting.filter((one) => placeOf(one) === place);
    const [{ request } = { request: undefined }] = all;
    const team = request && teams.get(request.team);
    if (team === undefined) {
      for (const one of all) answers.push({ one, said: gone(one.request.team) });
      continue;
    }
    const said = await answerOf(act(team, all));
    const isAlone = said.ok || all.length === 1;
    for (const one of all) answers.push({ one, said: isAlone ? said : await answerOf(act(team, [one])) });
  }
  return answers;
}

const gone = (team: Name): RelayAnswer => ({ ok: false, code: 'TEAM_GONE', why: `The store has no team ${team}.` });

/** @param done whether it is written; undefined for a team that is gone */
export async function unlessBehind(team: Name, done: Promise<boolean> | undefined): Promise<RelayAnswer> {
  let isBehind = false;
  const said = await answerOf(done?.then((isWritten) => void (isBehind = !isWritten)));
  if (done === undefined) return gone(team);
  return said.ok ? { ok: true, isBehind } : said;
}

export async function answerOf(done: Promise<void> | undefined): Promise<RelayAnswer> {
  try {
    await done;
    return { ok: true };
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return { ok: false, code: error.code, why: error.message };
  }
}
