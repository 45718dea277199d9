/** The lines that the dashboard asks a person for: answers, messages, a filter, a search, a confirmation. Pure. */
import type { TeamProblem } from '../../../app.ts';
import type { Row, Subject } from './dashboard-rows.ts';
import type { Asked, Order, Prompt, State } from './dashboard-state.ts';

const asking = (state: State, label: string, then: Prompt['then'], mayBeEmpty = false): State => ({
  ...state,
  prompt: { label, then, mayBeEmpty, text: '' },
});

export const filtering = (state: State): State => asking(state, 'filter', (filter) => ({ filter }), true);

export const searching = (state: State): State => asking(state, 'search', (find) => ({ find }));

export const sending = (state: State, to: string | undefined): State =>
  to === undefined
    ? { ...state, notice: 'Choose a member first, with the arrow keys.' }
    : asking(state, `to ${to}`, (text) => ({ order: { do: 'send', to, text } }));

/** Asks before a task is skipped or a member stopped. */
export function confirming(state: State, subject: Subject | undefined): State {
  if (subject === undefined) return { ...state, notice: 'Choose a task or a member first, with the arrow keys.' };
  const order: Order =
    subject.kind === 'task' ? { do: 'skip', task: subject.task } : { do: 'stop', member: subject.member };
  const what =
    subject.kind === 'task'
      ? `skip #${subject.task} and what waits for it`
      : `have ${subject.member} finish its step and leave`;
  return asking(state, `${what}? y or n`, (text) => ({ order: /^y(es)?$/i.test(text) ? order : undefined }));
}

interface Chosen {
  readonly rows: readonly Row[];
  readonly row: Row | undefined;
  readonly member: string | undefined;
}

/** Acts on the chosen request, else that of the chosen member, else the first one. */
export function deciding(state: State, approve: boolean, { rows, row, member }: Chosen): State {
  const waiting = rows.flatMap((one) => (one.kind === 'problem' && one.problem.request ? [one.problem] : []));
  const own = row?.kind === 'problem' && row.problem.request ? row.problem : undefined;
  const problem = own ?? waiting.find((one) => one.member === member) ?? waiting[0];
  const { request, task } = problem ?? {};
  if (request === undefined)
    return { ...state, notice: approve ? 'No request waits for an answer.' : 'Choose a failed task to retry it.' };
  if (request.kind === 'permission') return permitting(state, request, approve);
  return request.kind === 'question' ? answering(state, request, approve) : judging(state, request, task, approve);
}

type Request = NonNullable<TeamProblem['request']>;

const answering = (state: State, { id, from }: Request, approve: boolean): State =>
  approve
    ? asking(state, `answer ${from}`, (text) => ({ order: { do: 'answer', id, text } }))
    : { ...state, notice: `${from} asked a question: press a to answer it.` };

/** Enter alone allows one call. */
const permitting = (state: State, { id, from }: Request, approve: boolean): State =>
  approve
    ? asking(state, `allow ${from} this call; or always, always tool`, (text) => answer(id, text.trim() || 'yes'), true)
    : asking(state, `refuse ${from} this call, because`, (text) => answer(id, `no ${text}`.trim()), true);

const answer = (id: string, text: string): Asked => ({ order: { do: 'answer', id, text } });

/** Decides on a plan, on a change that waits to land, or on work whose discussion ended without consensus. */
function judging(state: State, { from, kind }: Request, task: string | undefined, approve: boolean): State {
  if (task === undefined) return { ...state, notice: `The task of this request from ${from} no longer exists.` };
  if (kind === 'review') return reviewing(state, from, task, approve);
  const what = kind === 'plan' ? `${from}'s plan for #${task}` : `#${task} as it is`;
  const decided = (text: string): Asked => ({ order: { do: 'decide', task, approve, text } });
  if (approve) return asking(state, `approve ${what}, saying`, decided, true);
  return kind === 'plan'
    ? asking(state, `refuse ${what}, because`, decided)
    : asking(state, `have #${task} revised; requested changes`, (text) => ({ order: { do: 'revise', task, text } }));
}

const reviewing = (state: State, from: string, task: string, approve: boolean): State =>
  approve
    ? asking(
        state,
        `accept ${from}'s change of #${task}`,
        (text) => ({ order: { do: 'decide', task, approve, text } }),
        true,
      )
    : asking(state, `send ${from}'s change of #${task} back, because`, (text) => ({
        order: { do: 'decide', task, approve, text },
      }));
