/** What a person does on the page: send, answer, approve, retry, skip, stop, add. Each shows its result or its error. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { WebCommand } from '../commands.ts';
import type { CommandResult, TaskRow, TeamProblem } from '../wire-types.ts';
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
      const { told, refused, note = '' } = await post<CommandResult>(inTeam(team, 'deeds'), deed);
      const outcome = [told.length === 0 ? '' : `Told ${told.join(', ')}.`, note, ...refused].filter(Boolean).join(' ');
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

/** What can be done about a task: retry it, skip it. */
export function TaskActions({ row }: { row: TaskRow }): JSX.Element | null {
  const { isLive } = usePageNavigation();
  const command = useCommand();
  const [isSure, setSure] = useState(false);
  const canSkip = ['in_progress', 'landing', 'ready', 'blocked'].includes(row.column);
  if (!isLive || (row.column !== 'failed' && !canSkip)) return null;
  const skip = (): void => {
    if (isSure) void command.run({ do: 'skip', task: row.id });
    setSure(!isSure);
  };
  return (
    <div class="actions">
      {row.column === 'failed' && (
        <button
          type="button"
          class="primary"
          disabled={command.isBusy}
          aria-label={`Retry task ${row.id}`}
          onClick={() => void command.run({ do: 'retry', task: row.id })}
        >
          Retry
        </button>
      )}
      {canSkip && (
        <button type="button" class="plain" disabled={command.isBusy} aria-label={`Skip task ${row.id}`} onClick={skip}>
          {isSure ? 'Skip it and what waits for it?' : 'Skip'}
        </button>
      )}
      <Outcome {...command} />
    </div>
  );
}

/** Retries everything that failed. */
export function RetryAll({ count }: { count: number }): JSX.Element | null {
  const { isLive } = usePageNavigation();
  const command = useCommand();
  if (!isLive || count === 0) return null;
  return (
    <div class="actions">
      <button type="button" class="primary" disabled={command.isBusy} onClick={() => void command.run({ do: 'retry' })}>
        {count === 1 ? 'Retry what failed' : `Retry all ${count} that failed`}
      </button>
      <Outcome {...command} />
    </div>
  );
}

/** Lets present turns end and nothing begin, or ends that. */
export function PauseTeam({ isPaused }: { isPaused: boolean }): JSX.Element | null {
  const { isLive } = usePageNavigation();
  const command = useCommand();
  if (!isLive) return null;
  return (
    <div class="actions">
      <button
        type="button"
        class={isPaused ? 'primary' : 'plain'}
        disabled={command.isBusy}
        onClick={() => void command.run({ do: 'pause', paused: !isPaused })}
      >
        {isPaused ? 'Let it go on' : 'Pause'}
      </button>
      <Outcome {...command} />
    </div>
  );
}

/** Has a member finish its step and leave. */
export function StopMember({ name }: { name: string }): JSX.Element | null {
  const { isLive } = usePageNavigation();
  const command = useCommand();
  const [isSure, setSure] = useState(false);
  if (!isLive) return null;
  const stop = (): void => {
    if (isSure) void command.run({ do: 'stop', member: name });
    setSure(!isSure);
  };
  return (
    <div class="actions">
      <button type="button" class="plain" disabled={command.isBusy} onClick={stop}>
        {isSure ? `Have ${name} finish its step and leave?` : 'Stop'}
      </button>
      <Outcome {...command} />
    </div>
  );
}

/** Puts a task on the board. */
export function AddTask({ names }: { names: readonly string[] }): JSX.Element | null {
  const { isLive } = usePageNavigation();
  const [subject, setSubject] = useState('');
  const [description, setDescription] = useState('');
  const [owner, setOwner] = useState('');
  const command = useCommand();
  if (!isLive) return null;
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await command.run({ do: 'add', subject, description, ...(owner === '' ? {} : { owner }) })) {
      setSubject('');
      setDescription('');
    }
  };
  return (
    <form class="compose add-task" onSubmit={(event) => void add(event)} aria-label="Add a task">
      <input
        type="text"
        aria-label="Subject of a new task"
        placeholder="Add a task: what is to be done"
        value={subject}
        onInput={(event) => setSubject(event.currentTarget.value)}
      />
      {subject !== '' && (
        <>
          <TextBox label="Description" value={description} onText={setDescription} />
          <select aria-label="Owner" value={owner} onChange={(event) => setOwner(event.currentTarget.value)}>
            <option value="">Whoever is free</option>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </>
      )}
      <button type="submit" class="primary" disabled={command.isBusy || subject.trim() === ''}>
        Add
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

/** Allows or refuses one call of a tool. */
function PermissionForm({ id, from }: { id: string; from: string }): JSX.Element {
  const [text, setText] = useState('');
  const command = useCommand();
  const answer = (word: string): void => {
    void command.run({ do: 'answer', request: id, text: `${word} ${text}`.trim() });
  };
  return (
    <form
      class="compose"
      aria-label={`Permission for ${from}`}
      onSubmit={(event) => {
        event.preventDefault();
        answer('yes');
      }}
    >
      <TextBox label="Reason, if you refuse" value={text} onText={setText} />
      <button type="submit" class="primary" disabled={command.isBusy}>
        Allow once
      </button>
      <button type="button" disabled={command.isBusy} onClick={() => answer('always')}>
        Allow this call always
      </button>
      <button type="button" disabled={command.isBusy} onClick={() => answer('always tool')}>
        Allow this tool always
      </button>
      <button type="button" disabled={command.isBusy} onClick={() => answer('no')}>
        Refuse
      </button>
      <Outcome {...command} />
    </form>
  );
}

/** What refuses a request of a kind. */
const REFUSALS = { plan: 'Refuse', consensus: 'Request a revision', review: 'Send it back' } as const;

/** Answers a request of a member: a question, a plan, a change that waits to land, or work without consensus. */
export function RequestForm({ problem }: { problem: TeamProblem }): JSX.Element | null {
  const { isLive } = usePageNavigation();
  const [text, setText] = useState('');
  const command = useCommand();
  const { request, task = '' } = problem;
  if (!isLive || request === undefined) return null;
  const { id, kind, from } = request;
  if (kind === 'permission') return <PermissionForm id={id} from={from} />;
  const isQuestion = kind === 'question';
  const approve = (): void => {
    void command.run(isQuestion ? { do: 'answer', request: id, text } : { do: 'judge', task, approve: true, text });
  };
  const refuse = (): void => {
    void command.run(kind === 'consensus' ? { do: 'revise', task, text } : { do: 'judge', task, approve: false, text });
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
        {isQuestion ? 'Answer' : kind === 'review' ? 'Accept' : 'Approve'}
      </button>
      {kind !== 'question' && (
        <button type="button" disabled={command.isBusy || (kind !== 'plan' && isEmpty)} onClick={refuse}>
          {REFUSALS[kind]}
        </button>
      )}
      <Outcome {...command} />
    </form>
  );
}
