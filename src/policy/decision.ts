/**
 * Puts a decision of the lead into words, for `teams why`, the log and every view. The event has the decision's subject
 * (`member`, `task`, `to`) and its reason.
 */
import { duration } from './mail-wording.ts';
import type { MemberSighting, Sighting, Verdict } from './sighting.ts';

/** The fields of a `lead.decided` event that the text uses. */
interface Decided {
  readonly act?: unknown;
  readonly member?: string | undefined;
  readonly task?: unknown;
  /** The new owner of the task. */
  readonly to?: unknown;
  readonly text?: string | undefined;
  /** What was seen of the member. */
  readonly saw?: unknown;
}

/** The fields of the event that records a verdict, with what the lead saw of the member that it is about. */
export function decisionOf(
  verdict: Verdict,
  { members }: Pick<Sighting, 'members'>,
): Decided & { readonly act: string; readonly text: string } {
  const { do: act, ...facts } = verdict;
  const to = receiverOf(verdict);
  const seen = 'member' in facts ? members.find(({ name }) => name === facts.member) : undefined;
  return {
    act,
    ...('member' in facts ? { member: facts.member } : {}),
    ...('task' in facts ? { task: facts.task } : {}),
    to,
    text: 'why' in facts ? facts.why : '',
    saw: seen && sawText(seen),
  };
}

/** `alive, last heartbeat 0m01s ago, last progress 5m00s ago, status check sent, 1 restart` */
function sawText(seen: MemberSighting): string {
  const { process, death, deadFor, restarts, consecutiveFailures: failures } = seen;
  const shown = process === 'dead' ? `dead for ${duration(deadFor)} (${death ?? 'cause unknown'})` : process;
  const ages = [`last heartbeat ${duration(seen.beatAge)} ago`, `last progress ${duration(seen.progressAge)} ago`];
  return [
    process === 'none' ? 'without a process' : shown,
    ...(process === 'alive' ? ages : []),
    ...(seen.checkedFor === undefined ? [] : [`status check ${seen.answered ? 'answered' : 'sent'}`]),
    ...(restarts === 0 ? [] : [`${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`]),
    ...(failures === 0 ? [] : [`${failures} failed ${failures === 1 ? 'task' : 'tasks'} in a row`]),
  ].join(', ');
}

/** The same with what was seen, for `teams why`. */
export const decisionEvidence = (event: Decided & { readonly type: string }): string => {
  const clause = decisionClause(event).replace(/\.$/, '');
  return typeof event.saw === 'string' && event.member !== undefined
    ? `${clause} (it saw ${event.member}: ${event.saw})`
    : clause;
};

/** The member that a verdict gives a task to. */
function receiverOf(verdict: Verdict): string | undefined {
  if (verdict.do === 'assign') return verdict.owner ?? undefined;
  if (verdict.do === 'fence') return verdict.heir ?? undefined;
  return verdict.do === 'follow up' && verdict.place.do === 'assign' ? verdict.place.owner : undefined;
}

/**
 * `took task #3 from ada and gave it to bob: no progress on task #3 for 10m00s; it is alive`; a caller puts `the lead`
 * before it.
 */
export function decisionText(event: Decided): string {
  const act = actText(event);
  return event.text === undefined || event.text === '' ? act : `${act}: ${event.text}`;
}

/** Decisions that a member makes by itself: another agent replaces its agent, or no agent is available. */
const OWN: ReadonlySet<string> = new Set(['agent.fell_back', 'agent.no_fallback', 'agent.left_alone']);

export const isDecisionType = (type: string): boolean => type === 'lead.decided' || OWN.has(type);

/** The same, with who decided: `the lead restarted ada: …`, `ada: codex → claude for the whole run: …`. */
const decisionClause = (event: Decided & { readonly type: string }): string =>
  OWN.has(event.type) ? `${event.member ?? 'a member'}: ${event.text ?? ''}` : `the lead ${decisionText(event)}`;

type ActText = (facts: { who: string; task: string; to: string | undefined }) => string;

const ACT_TEXTS: Readonly<Record<Verdict['do'], ActText>> = {
  resetDeadlines: () => 'reset all deadlines',
  restart: ({ who }) => `restarted ${who}`,
  abandon: ({ who }) => `abandoned ${who}`,
  resetRestarts: ({ who }) => `reset the restart count of ${who}`,
  release: ({ task }) => `released ${task}`,
  check: ({ who, task }) => `sent ${who} a status check for ${task}`,
  fence: ({ who, task, to }) => `took ${task} from ${who}${to === undefined ? '' : ` and gave it to ${to}`}`,
  stop: ({ who }) => `ended the process of ${who}`,
  quarantine: ({ who }) => `quarantined ${who}`,
  lift: ({ who }) => `ended the quarantine of ${who}`,
  assign: ({ task, to }) => (to === undefined ? `left ${task} without an owner` : `gave ${task} to ${to}`),
  skip: ({ task }) => `skipped ${task} and the tasks that wait for it`,
  'follow up': ({ task, to }) => `added the follow-up of ${task}${to === undefined ? '' : `, for ${to}`}`,
  start: ({ who }) => `started ${who}`,
  tell: ({ task }) => `told a person about ${task}`,
  pass: ({ task }) => `passed ${task}`,
  redo: ({ task }) => `sent back what ${task} tested`,
  improve: ({ task }) => `added tasks for the improvements that ${task} named`,
  finish: () => 'found every task final',
  stuck: () => 'found that no task can continue',
};

/** Names of acts in `lead.decided` events of earlier versions. */
const FORMER_ACTS: ReadonlyMap<unknown, Verdict['do']> = new Map([
  ['forgive', 'resetDeadlines'],
  ['pardon', 'resetRestarts'],
  ['give up', 'abandon'],
]);

const isAct = (act: unknown): act is Verdict['do'] => typeof act === 'string' && Object.hasOwn(ACT_TEXTS, act);

/** The act of a `lead.decided` event, by its present name; undefined if this version does not know it. */
export const actOf = ({ act }: Decided): Verdict['do'] | undefined =>
  FORMER_ACTS.get(act) ?? (isAct(act) ? act : undefined);

function actText(event: Decided): string {
  const { member = 'a member', task, to } = event;
  const act = actOf(event);
  if (act === undefined) return `decided ${typeof event.act === 'string' ? event.act : 'something'}`;
  const facts = { who: member, task: typeof task === 'string' ? `task #${task}` : 'a task' };
  return ACT_TEXTS[act]({ ...facts, to: typeof to === 'string' ? to : undefined });
}
