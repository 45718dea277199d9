/** Forms of the page: send, answer, approve, refuse. Each form shows its result or its error. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { WebCommand } from '../commands.ts';
import type { CommandResult, TeamProblem } from '../wire-types.ts';
import { usePageNavigation } from './navigation.ts';
import { inTeam, post } from './http-client.ts';

interface CommandForm {
  readonly isBusy: boolean;
  readonly outcome: string;
  readonly hasFailed: boolean;
  readonly run: (deed: WebCommand) => Promise<boolean>;
}

function useCommand(): CommandForm {
  const { team } = usePageNavigation();
  const [state, setState] = useState({ isBusy: false, outcome: '', hasFailed: false });
  const run = async (deed: WebCommand): Promise<boolean> => {
    setState({ isBusy: true, outcome: '', hasFailed: false });
    try {
      const { told, refused } = await post<CommandResult>(inTeam(team, 'deeds'), deed);
      const outcome = [told.length === 0 ? '' : `Told ${told.join(', ')}.`, ...refused].filter(Boolean).join(' ');
      setState({ isBusy: false, outcome, hasFailed: refused.length > 0 });
      return true;
    } catch (error) {
      setState({ isBusy: false, outcome: error instanceof Error ? error.message : 'It failed.', hasFailed: true });
      return false;
    }
  };
  return { ...state, run };
}

function Outcome({ outcome, hasFailed }: CommandForm): JSX.Element {
  return (
    <p class={hasFailed ? 'outcome outcome-bad' : 'outcome'} role="status">
      {outcome}
    </p>
  );
}

/** @param names the possible recipients */
export function SendForm({ to, names }: { to?: string; names: readonly string[] }): JSX.Element | null {
  const { isLive } = usePageNavigation();
  const [recipient, setRecipient] = useState(to ?? '*');
  const [text, setText] = useState('');
  const command = useCommand();
  if (!isLive) return null;
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const body: WebCommand = recipient === '*' ? { do: 'broadcast', text } : { do: 'send', to: recipient, text };
    if (await command.run(body)) setText('');
  };
  return (
    <form class="compose" onSubmit={(event) => void send(event)} aria-label="Send a message">
      {to === undefined && (
        <select aria-label="To" value={recipient} onChange={(event) => setRecipient(event.currentTarget.value)}>
          <option value="*">All members</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      <TextBox label={to === undefined ? 'Message' : `Message to ${to}`} value={text} onText={setText} />
      <button type="submit" class="primary" disabled={command.isBusy || text.trim() === ''}>
        Send
      </button>
      <Outcome {...command} />
    </form>
  );
}

function TextBox({
  label,
  value,
  onText,
}: {
  label: string;
  value: string;
  onText: (text: string) => void;
}): JSX.Element {
  return (
    <textarea
      rows={2}
      aria-label={label}
      placeholder={label}
      value={value}
      onInput={(event) => onText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
      }}
    />
  );
}

/** Answers a request of a member: a question, a plan, or work without consensus. */
export function RequestForm({ problem }: { problem: TeamProblem }): JSX.Element | null {
  const { isLive } = usePageNavigation();
  const [text, setText] = useState('');
  const command = useCommand();
  const { request, task = '' } = problem;
  if (!isLive || request === undefined) return null;
  const { id, kind, from } = request;
  const isQuestion = kind === 'question';
  const approve = (): void => {
    void command.run(isQuestion ? { do: 'answer', request: id, text } : { do: 'judge', task, approve: true, text });
  };
  const refuse = (): void => {
    void command.run(kind === 'plan' ? { do: 'judge', task, approve: false, text } : { do: 'revise', task, text });
  };
  const isEmpty = text.trim() === '';
  return (
    <form
      class="compose"
      aria-label={isQuestion ? `Answer ${from}` : `Decide on task ${task} of ${from}`}
      onSubmit={(event) => {
        event.preventDefault();
        approve();
      }}
    >
      <TextBox label={isQuestion ? `Answer to ${from}` : 'Requested changes'} value={text} onText={setText} />
      <button type="submit" class="primary" disabled={command.isBusy || (isQuestion && isEmpty)}>
        {isQuestion ? 'Answer' : 'Approve'}
      </button>
      {!isQuestion && (
        <button type="button" disabled={command.isBusy || (kind !== 'plan' && isEmpty)} onClick={refuse}>
          {kind === 'plan' ? 'Refuse' : 'Request a revision'}
        </button>
      )}
      <Outcome {...command} />
    </form>
  );
}
