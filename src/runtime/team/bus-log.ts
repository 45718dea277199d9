/** Writes to the message bus of a session, for those who may speak on it (docs/specification.md R10.16). */
import { busTypeSchema, tagged, type BusRecord } from '../../model/pipeline/bus-record.ts';
import { didYouMeanOneOf } from '../../model/text/did-you-mean.ts';
import { UsageError } from '../../model/text/errors.ts';
import { isLead, isName, LEAD, type Name } from '../../model/text/names.ts';
import { quoted } from '../../model/text/document-problem.ts';
import { sessionIdOf } from '../../model/pipeline/session-id.ts';
import { listTeams } from '../../store/team/team-list.ts';
import type { TeamHandle } from './team-handle.ts';

interface BusMessage {
  readonly session: string;
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly summary: string;
  readonly ref?: string | undefined;
}

/**
 * Finds the team of a session.
 *
 * @throws UsageError `UNKNOWN_TEAM`, or `USAGE` with a hint if a team's name is given instead of a session's id
 */
export function sessionTeam(root: string, session: string): Name {
  const active = listTeams(root).filter(({ archivedAt }) => archivedAt === undefined);
  const names = active.map(({ name }) => name);
  const team = names.find((name) => sessionIdOf(name) === session);
  if (team !== undefined) return team;
  if (isName(session) && names.includes(session)) {
    const id = sessionIdOf(session);
    const hint = id === undefined ? 'that team has none' : `here ${id}`;
    throw new UsageError('USAGE', `${session} is a team's name; --session takes the id of a session, ${hint}.`);
  }
  const ids = names.flatMap((name) => sessionIdOf(name) ?? []);
  const hint = didYouMeanOneOf(session, ids);
  throw new UsageError('UNKNOWN_TEAM', `There is no session ${quoted(session)} under ${root}${hint}`);
}

/**
 * Writes one record.
 *
 * @throws UsageError `UNKNOWN_MEMBER` for a role that no member has, `POLICY_DENIED` for a role that is not the
 * speaker's and for another reader than the coordinator, `USAGE` for an invalid type
 */
export async function logOnBus({ store, speaker }: TeamHandle, said: BusMessage): Promise<BusRecord> {
  const { session, from, to, type, summary, ref } = said;
  if (!isLead(to))
    throw new UsageError(
      'POLICY_DENIED',
      `Only the coordinator reads the bus; ${quoted(to)} does not (rule: role isolation).`,
    );
  const kind = busTypeSchema.safeParse(type);
  if (!kind.success) throw new UsageError('USAGE', `--type: ${kind.error.issues[0]?.message ?? 'no type.'}`);
  const members = [...store.board.fold().members.values()];
  const saying = members.filter(({ name, role }) => name === from || role === from);
  if (saying.length === 0 && !isLead(from)) {
    const known = [...new Set(members.map(({ role }) => role))];
    throw new UsageError('UNKNOWN_MEMBER', `No member has the role ${quoted(from)}; there are: ${known.join(', ')}.`);
  }
  const isOwn = speaker.kind !== 'member' || saying.some(({ name }) => name === speaker.name);
  if (!isOwn) throw new UsageError('POLICY_DENIED', `${speaker.name} cannot speak as ${from} (rule: role isolation).`);
  const member = speaker.kind === 'member' ? speaker.name : (saying[0]?.name ?? LEAD);
  const record = { session, from, to, kind: kind.data, summary: tagged(from, summary).slice(0, 4_096) };
  return store.bus.log({ ...record, ref }, member);
}
