/** What a relay asks the engine about mail: to send it, to fetch it, to acknowledge it, and to hear of it at once. */
import { isMemberName, type Name } from '../../model/text/names.ts';
import { LINE_LIMIT } from '../files/lines.ts';
import { inOrder, isAll, PAGE, pageOf, type EnginePage } from './engine-pages.ts';
import type { EngineQueries } from './engine-queries.ts';
import {
  channelRow,
  doneRow,
  idsRow,
  mailboxRow,
  mailRow,
  notifiedMail,
  numbersForm,
  type EngineMail,
  type EngineMailbox,
  type NotifiedMail,
} from './engine-rows.ts';

export class EngineMailboxes {
  readonly #queries: Pick<EngineQueries, 'ask'>;
  /** The channels that the session listens to, and whose mail is notified there. */
  readonly #heard = new Map<string, Pick<NotifiedMail, 'team' | 'member'>>();

  constructor(queries: Pick<EngineQueries, 'ask'>) {
    this.#queries = queries;
  }

  /**
   * Stores mail for a member, in this order; a message that it has already keeps its place.
   *
   * @returns the number of each
   */
  async send(team: string, recipient: Name, lines: readonly string[]): Promise<number[]> {
    const asked = 'select teams.send($1, $2, $3) as numbers';
    const [row] = await this.#queries.ask(asked, [team, recipient, lines], numbersForm);
    return row?.numbers ?? [];
  }

  /**
   * Listens to the mail of a member, which is notified whole then if it is short.
   *
   * @returns what {@link unhear} needs; undefined if this role is that of one member, to which the store says only that there is mail
   */
  async hear(team: string, member: Name): Promise<string | undefined> {
    const [row] = await this.#queries.ask('select teams.mail_channel($1, $2) as channel', [team, member], channelRow);
    const channel = row?.channel ?? undefined;
    if (channel === undefined) return undefined;
    this.#heard.set(channel, { team, member });
    await this.#queries.ask(`listen ${channel}`, []);
    return channel;
  }

  async unhear(channel: string): Promise<void> {
    this.#heard.delete(channel);
    await this.#queries.ask(`unlisten ${channel}`, []);
  }

  /** The mail in a notification; undefined if it has none, or came on a channel that is not listened to. */
  notified(channel: string, payload: string): NotifiedMail | undefined {
    const [mailbox, mail] = [this.#heard.get(channel), notifiedMail(payload)];
    return mailbox && mail && { ...mailbox, ...mail };
  }

  /** All of a team. */
  async list(team: string): Promise<EngineMailbox[]> {
    const rows = await this.#queries.ask('select member, last, used from teams.mailboxes($1)', [team], mailboxRow);
    return rows.flatMap(({ member, ...known }) => (isMemberName(member) ? [{ member, ...known }] : []));
  }

  /** The mail of a member after a number that is not acknowledged, in its order; at most a page of it. */
  async after(team: string, member: Name, number: number): Promise<EnginePage<EngineMail> & { readonly log: number }> {
    const text = pageOf('number, log', 'teams.mail_after($1, $2, $3, $4)', LINE_LIMIT);
    const rows = await this.#queries.ask(text, [team, member, number, PAGE], mailRow);
    return { found: inOrder(rows, number), isAll: isAll(rows), log: rows[0]?.log ?? 0 };
  }

  /** The ids of the mail of a member that is not acknowledged. */
  async waiting(team: string, member: Name): Promise<Set<string>> {
    const text = 'select teams.waiting_mail($1, $2) as ids';
    const [row] = await this.#queries.ask(text, [team, member], idsRow);
    return new Set(row?.ids);
  }

  /** @returns how many of them were not acknowledged before */
  async acknowledge(team: string, member: Name, by: string, ids: readonly string[]): Promise<number> {
    const text = 'select teams.acknowledge($1, $2, $3, $4) as done';
    const [row] = await this.#queries.ask(text, [team, member, by, ids], doneRow);
    return row?.done ?? 0;
  }
}
