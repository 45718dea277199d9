/**
 * The end of a team's processes (docs/specification.md R5.11): mark the team closing → shutdown_request to all at once
 * → wait → SIGTERM → 5 s → SIGKILL → check that no process is left, including those that moved to other sessions. A
 * lead that leaves has 3 s in all: present turns are interrupted → 2 s → SIGTERM → 0.5 s → SIGKILL.
 */
import { ConflictError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import * as wording from '../../policy/mail-wording.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { sendMail } from '../team/send-mail.ts';
import type { LeadSpeaker } from './lead-options.ts';
import type { Lead } from './lead.ts';
import { authorOf } from '../team/authentication.ts';
import type { MemberProcess } from '../placement/member-process.ts';

export interface ShutdownOptions {
  readonly waitMs: number;
  /** Stop members even if they refuse. */
  readonly force?: boolean;
  /** Do not wait: send the signals at once. */
  readonly now?: boolean;
  /** The lead's host or a signal ends it: nobody is asked, and present turns are interrupted. */
  readonly leaving?: boolean;
  readonly why?: string;
  /** When aborted, the waits end at once. */
  readonly signal?: AbortSignal | undefined;
}

const TERM_MS = 5_000;
/** For a lead that leaves: hosts kill a server 4 s after they closed its stdin. */
const LEAVING_MS = { turn: 2_000, term: 500 };

/**
 * Stops all members' processes.
 *
 * @returns the members that were stopped
 * @throws ConflictError `STILL_RUNNING` naming the members that refused; the team is then open again
 */
export async function shutDown(
  store: TeamStore,
  speaker: LeadSpeaker,
  lead: Lead,
  options: ShutdownOptions,
): Promise<Name[]> {
  const { supervisor } = lead;
  const alive = (): MemberProcess[] =>
    supervisor.processes.filter(({ name, death }) => death === undefined && supervisor.look(name)?.death === undefined);
  const asked = alive();
  // A lead that was replaced stops no members: they belong to its successor.
  lead.requireLeadership();
  await store.board.append(authorOf(speaker), () => ({ type: 'team.closing' }));
  // Who has left the team reads no mail, and ends by itself.
  const { members } = store.board.fold();
  const present = asked.filter(({ name }) => members.get(name)?.state !== 'left');
  supervisor.isEnding = true;
  const refusals = options.now === true ? [] : await ask(store, speaker, lead, present, alive, options);
  if (refusals.length > 0) {
    supervisor.isEnding = false;
    const { profile, claimMode } = store.board.board;
    await store.board.append(authorOf(speaker), () => ({ type: 'team.opened', profile, claim: claimMode }));
    throw new ConflictError(
      'STILL_RUNNING',
      `${refusals.map(({ name, text }) => `${name} refuses to stop (${text})`).join('; ')}; \`--force\` stops it anyway.`,
    );
  }
  for (const life of alive()) supervisor.signal(life, 'SIGTERM');
  await until(store, () => alive().length === 0, termMs(options), options.signal);
  await Promise.all(alive().map((life) => supervisor.end(life)));
  await supervisor.prove();
  for (const { name } of present) store.events.append({ type: 'member.stopped', member: name });
  return present.map(({ name }) => name);
}

function termMs({ now = false, leaving = false }: ShutdownOptions): number {
  if (leaving) return LEAVING_MS.term;
  return now ? TERM_MS / 5 : TERM_MS;
}

async function ask(
  store: TeamStore,
  speaker: LeadSpeaker,
  lead: Lead,
  asked: readonly MemberProcess[],
  alive: () => MemberProcess[],
  options: ShutdownOptions,
) {
  const { leaving = false, why } = options;
  const force = options.force === true || leaving;
  const request = { type: 'shutdown_request' as const, data: leaving ? { force, now: true } : { force } };
  await Promise.all(
    asked.map(({ name }) =>
      sendMail(store, speaker, name, wording.shutdown(why), request).catch(
        (error: unknown) => void store.events.append({ type: 'message.failed', member: name, text: String(error) }),
      ),
    ),
  );
  const refused = () =>
    [...lead.responses].filter(([, response]) => !response.approve).map(([name, { text }]) => ({ name, text }));
  await until(
    store,
    () => alive().length === 0 || (!force && refused().length > 0),
    leaving ? LEAVING_MS.turn : options.waitMs,
    options.signal,
    () => lead.finishAhead(),
  );
  return force ? [] : refused().filter(({ name }) => alive().some((life) => life.name === name));
}

/**
 * Checks every 5 ms until `isSo`, the end of the time, or an abort.
 *
 * @param meanwhile a small part of what is to be done anyway; it returns false when nothing is left
 */
async function until(
  store: TeamStore,
  isSo: () => boolean,
  ms: number,
  signal: AbortSignal | undefined,
  meanwhile: () => boolean = () => false,
): Promise<void> {
  const deadline = store.clock.monotonic() + ms;
  while (!isSo() && store.clock.monotonic() < deadline && signal?.aborted !== true)
    await store.clock.sleep(meanwhile() ? 0 : 5, signal);
}
