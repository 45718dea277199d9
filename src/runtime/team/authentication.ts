/**
 * Who the speaker is (docs/specification.md R2.15). A process with a member's token is that member. Without a token it
 * is a person, who speaks as the lead or as the member that `--as` names; unless a member started it, which its mark
 * says, even if its environment was cleaned: then it speaks for nobody. The lead's own process speaks with its epoch.
 */
import { UsageError } from '../../model/text/errors.ts';
import type { Board } from '../../model/board/board.ts';
import type { Author } from '../../model/board/event.ts';
import { LEAD, parseMemberName, type Name } from '../../model/text/names.ts';
import { tokenMatches } from '../../store/team/roster.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { ENV } from '../../model/text/environment.ts';
import { starterOf } from '../process/starter.ts';

export type Speaker =
  | { readonly kind: 'member'; readonly name: Name; readonly incarnation: string }
  | { readonly kind: 'person'; readonly name: Name }
  | { readonly kind: 'lead'; readonly name: Name; readonly incarnation: string; readonly epoch: number };

/** The author of the speaker's records, on the present board. */
export function authorOf(speaker: Speaker): (board: Board) => Author {
  switch (speaker.kind) {
    case 'member':
      return () => ({ by: speaker.name, inc: speaker.incarnation });
    case 'lead':
      return () => ({ lead: speaker.incarnation, epoch: speaker.epoch });
    case 'person':
      return (board) => ({ person: speaker.name, epoch: board.lead.epoch });
    default:
      return speaker satisfies never;
  }
}

/**
 * Identifies the speaker. A refusal is logged, because the process tried to speak as another member.
 *
 * @param environment the caller's environment variables
 * @param as the name of `--as`, if any
 * @throws UsageError `POLICY_DENIED` when a member's child speaks as another, or its token is not the member's
 */
export function authenticate(
  store: TeamStore,
  environment: Readonly<Record<string, string | undefined>>,
  as: string | undefined,
): Speaker {
  const token = environment[ENV.token] ?? environment[ENV.proof];
  const member = environment[ENV.member];
  const wanted = as === undefined ? undefined : parseMemberName(as);
  if (token === undefined || member === undefined) {
    const starter = starterOf(store);
    if (starter === undefined) return { kind: 'person', name: wanted ?? LEAD };
    throw refused(
      store,
      starter,
      `This process was started by ${starter} of team ${store.paths.name} and does not have its token (${ENV.token}, ${ENV.member}), so it speaks for nobody.`,
    );
  }
  const name = parseMemberName(member);
  const given = { team: environment[ENV.team] ?? store.paths.name, token };
  const judged = memberOf(store, name, wanted, given);
  if (typeof judged !== 'string') return judged;
  throw refused(store, name, judged);
}

function refused({ events }: TeamStore, member: Name, text: string): UsageError {
  events.append({ type: 'member.refused', member, text });
  return new UsageError('POLICY_DENIED', text);
}

/** The member whose present process has this token; undefined if there is none. */
export function memberWithToken(
  { board, roster }: Pick<TeamStore, 'board' | 'roster'>,
  token: string,
): Name | undefined {
  for (const name of board.fold().members.keys()) {
    const record = roster.read(name);
    if (record?.incarnation !== undefined && tokenMatches(token, record)) return name;
  }
  return undefined;
}

/** @returns the member, or why the token is refused */
function memberOf(
  { paths: { name: team }, roster }: TeamStore,
  name: Name,
  wanted: Name | undefined,
  given: { readonly team: string; readonly token: string },
): Speaker | string {
  if (given.team !== team) return `This process is ${name} of team ${given.team}; it cannot act in team ${team}.`;
  if (wanted !== undefined && wanted !== name)
    return `This process is ${name} of team ${team}; it cannot speak as ${wanted}.`;
  const record = roster.read(name);
  return record?.incarnation !== undefined && tokenMatches(given.token, record)
    ? { kind: 'member', name, incarnation: record.incarnation }
    : `TEAMS_TOKEN is not ${name}'s: its process was replaced or has ended.`;
}
