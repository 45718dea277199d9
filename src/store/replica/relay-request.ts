/** The form of what processes of a machine ask the relay of their replica. */
import * as z from 'zod';
import { isMemberName, isName, memberSchema, type Name } from '../../model/text/names.ts';
import { jsonOf } from '../../model/text/plain-fields.ts';
import type { Seal } from '../user/seal.ts';
import { sealedRequest } from './relay-answer.ts';
import { hostAskedSchema, placementAskedSchema, type HostAsked, type PlacementAsked } from './team-hosts.ts';

/** A team as it is made in a store: its first records, and its configuration as text. */
export const sharedTeamSchema = z.object({ id: z.string(), lines: z.array(z.string()), config: z.string() });
export type SharedTeam = z.infer<typeof sharedTeamSchema>;

export interface PostedMail {
  readonly recipient: Name;
  readonly line: string;
  /** The whole of a long body that the line names. */
  readonly blob?: string | undefined;
}

const leaseSchema = z.object({ name: memberSchema, owner: z.string(), isFirst: z.boolean() });
export type LeaseAsked = z.infer<typeof leaseSchema>;

const configSchema = z.object({ before: z.string(), next: z.string() });
/** The text of a configuration, and the one that it was made from. */
export type ConfigChange = z.infer<typeof configSchema>;

const ledgerSchema = z.object({ after: z.number().int().nonnegative(), lines: z.array(z.string()).min(1) });
export type LedgerAsked = z.infer<typeof ledgerSchema>;

const day = z.iso.date();
const spendingSchema = z.object({
  from: day,
  after: z.number().int().nonnegative(),
  day,
  lines: z.array(z.string()),
});
/** Records for the ledger of a day, decided with the first `after` of the one of `from`. Without any: which day is it. */
export type SpendingAsked = z.infer<typeof spendingSchema>;

const paceSchema = z.object({
  credential: z.string().max(64),
  pauseMs: z.number().nonnegative(),
  refusals: z.number().int().nonnegative(),
});
/** A machine calls a vendor, which asked for a pause if it refused. The credential is told as a hash. */
export type PaceTold = z.infer<typeof paceSchema>;

/** What can be asked, with its body; a record is text. */
interface Bodies {
  readonly append: string;
  readonly create: SharedTeam;
  readonly send: PostedMail;
  readonly lease: LeaseAsked;
  readonly leave: LeaseAsked;
  readonly ledger: LedgerAsked;
  /** A text that a later record names by its hash. */
  readonly keep: string;
  /** The hash of such a text. */
  readonly kept: string;
  readonly configure: ConfigChange;
  /** Of no team. */
  readonly host: HostAsked;
  /** Nothing: the hosts of a team that may not be made yet. */
  readonly hosts: string;
  readonly placement: PlacementAsked;
  /** The name of a member. */
  readonly ring: string;
  /** Nothing: the team ends. */
  readonly archive: string;
  /** Of no team, as the next. */
  readonly spending: SpendingAsked;
  readonly pace: PaceTold;
}

/** One request: what is asked, of which team, and its body. */
export type RelayRequest = {
  [Key in keyof Bodies]: { readonly do: Key; readonly team: Name; readonly body: Bodies[Key] };
}[keyof Bodies];

/**
 * A request proves that it comes from the user, by the user's key over all of it: repeated, it does nothing new.
 *
 * @param text a line that says what is asked, and the body
 * @returns undefined for one that cannot be read, or without that proof
 */
export function relayRequest(text: string, seal: Seal): RelayRequest | undefined {
  const end = text.indexOf('\n');
  if (end < 0) return undefined;
  const [head, body] = [text.slice(0, end), text.slice(end + 1)];
  const { asked = '', team = '', seal: proof = '' } = HEAD.exec(head)?.groups ?? {};
  if (!isRequest(asked) || !isName(team)) return undefined;
  if (!seal.holdsText(sealedRequest(asked, team, body), proof)) return undefined;
  return isText(asked) ? { do: asked, team, body } : requestOf(asked, team, body);
}

/** As a client writes it: a schema would cost as much as the rest of a request. */
const HEAD = /^\{"do":"(?<asked>[a-z]+)","team":"(?<team>[a-z0-9-]+)","seal":"(?<seal>[0-9a-f]+)"\}$/;

/** Requests whose body is a text as it stands. */
const TEXTS = ['append', 'keep', 'kept', 'hosts', 'ring', 'archive'] as const;
const BODIES = ['create', 'send', 'lease', 'leave', 'ledger', 'configure', 'host', 'placement', 'spending', 'pace'];
const REQUESTS: ReadonlySet<string> = new Set([...TEXTS, ...BODIES]);
const isRequest = (text: string): text is RelayRequest['do'] => REQUESTS.has(text);
type TextRequest = (typeof TEXTS)[number];
const isText = (asked: RelayRequest['do']): asked is TextRequest => TEXTS.some((one) => one === asked);

function requestOf(
  asked: Exclude<RelayRequest['do'], TextRequest>,
  team: Name,
  text: string,
): RelayRequest | undefined {
  if (asked === 'create') {
    const body = parsedAs(sharedTeamSchema, text);
    return body && { do: asked, team, body };
  }
  if (asked === 'send') {
    const body = mailOf(text);
    return body && { do: asked, team, body };
  }
  if (asked === 'configure') {
    const body = parsedAs(configSchema, text);
    return body && { do: asked, team, body };
  }
  if (asked === 'ledger') {
    const body = parsedAs(ledgerSchema, text);
    return body && { do: asked, team, body };
  }
  if (asked === 'host') {
    const body = parsedAs(hostAskedSchema, text);
    return body && { do: asked, team, body };
  }
  if (asked === 'placement') {
    const body = parsedAs(placementAskedSchema, text);
    return body && { do: asked, team, body };
  }
  if (asked === 'spending') {
    const body = parsedAs(spendingSchema, text);
    return body && { do: asked, team, body };
  }
  if (asked === 'pace') {
    const body = parsedAs(paceSchema, text);
    return body && { do: asked, team, body };
  }
  const body = parsedAs(leaseSchema, text);
  return body && { do: asked, team, body };
}

/** By hand, as the head: there is one for each message. */
function mailOf(text: string): PostedMail | undefined {
  const value = jsonOf(text);
  if (typeof value !== 'object' || value === null || !('recipient' in value) || !('line' in value)) return undefined;
  const { recipient, line } = value;
  const blob = 'blob' in value ? value.blob : undefined;
  if (typeof recipient !== 'string' || !isMemberName(recipient) || typeof line !== 'string') return undefined;
  return blob === undefined || typeof blob === 'string' ? { recipient, line, blob } : undefined;
}

/** @returns undefined for a text that is not JSON of this form, and nothing else */
const parsedAs = <T>(schema: z.ZodType<T>, text: string): T | undefined => schema.safeParse(jsonOf(text)).data;
