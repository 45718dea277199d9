/** Search over the whole team: tasks, output, mail, events. The server searches; a match opens what it is about. */
import type { ComponentChild, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FoundInTeam } from '../../wire-types.ts';
import { dayAndTime, whole } from '../formats.ts';
import { get, inTeam } from '../http-client.ts';
import { usePageNavigation } from '../navigation.ts';
import { DialogPanel } from './dialog-panel.tsx';
import { Status } from './labels.tsx';

/** The search starts after this pause in typing. */
const PAUSE_MS = 200;

export function SearchPanel({ onClose }: { onClose: () => void }): JSX.Element {
  const { team } = usePageNavigation();
  const input = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState('');
  const [found, trouble] = useSearch(team, words.trim());
  // Before the next key: it is the first letter.
  useLayoutEffect(() => input.current?.focus(), []);
  return (
    <DialogPanel label="Search everything" class="search-panel" onClose={onClose}>
      <input
        ref={input}
        type="search"
        placeholder="Search tasks, output, mail and events"
        aria-label="Search tasks, output, mail and events"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <p class="note said" role="status">
        {trouble ?? (found === undefined ? '' : summaryOf(found))}
      </p>
      {found !== undefined && <Matches found={found} onOpened={onClose} />}
    </DialogPanel>
  );
}

function summaryOf({ tasks, lines, mail, events }: FoundInTeam): string {
  const all = tasks.total + lines.total + mail.total + events.total;
  return all === 0 ? 'Nothing matches.' : `${whole(all)} ${all === 1 ? 'match' : 'matches'}`;
}

function Matches({ found, onOpened }: { found: FoundInTeam; onOpened: () => void }): JSX.Element {
  const { tasks, lines, mail, events } = found;
  return (
    <>
      <Group title="Tasks" total={tasks.total}>
        {tasks.rows.map(({ id, subject, status }) => (
          <Match
            key={id}
            kind="task"
            id={id}
            head={<Status column={status} />}
            text={`#${id} ${subject}`}
            onOpened={onOpened}
          />
        ))}
      </Group>
      <Group title="Output" total={lines.total}>
        {lines.rows.map(({ member, line }, index) => (
          <Match key={`${member} ${index}`} kind="member" id={member} head={member} text={line} onOpened={onOpened} />
        ))}
      </Group>
      <Group title="Mail" total={mail.total}>
        {mail.rows.map(({ id, at, from, to, text }) => (
          <Match
            key={`${id} ${to}`}
            kind="member"
            id={to === 'lead' ? from : to}
            head={`${dayAndTime(at)} ${from} → ${to}`}
            text={text}
            onOpened={onOpened}
          />
        ))}
      </Group>
      <Group title="Latest events" total={events.total}>
        {events.rows.map(({ number, at, member, text }) => (
          <Match
            key={number}
            kind="member"
            id={member ?? ''}
            head={`${dayAndTime(at)} ${member ?? ''}`}
            text={text}
            onOpened={onOpened}
          />
        ))}
      </Group>
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly total: number;
  readonly children: readonly ComponentChild[];
}

function Group({ title, total, children }: GroupProps): JSX.Element | null {
  if (total === 0) return null;
  return (
    <>
      <h2>
        {title}{' '}
        <span class="note said">
          {whole(total)}
          {total > children.length ? `, the last ${children.length}` : ''}
        </span>
      </h2>
      <ul>
        {children.map((child, index) => (
          <li key={index}>{child}</li>
        ))}
      </ul>
    </>
  );
}

interface MatchProps {
  readonly kind: 'task' | 'member';
  readonly id: string;
  readonly head: ComponentChild;
  readonly text: string;
  readonly onOpened: () => void;
}

function Match({ kind, id, head, text, onOpened }: MatchProps): JSX.Element {
  const { show } = usePageNavigation();
  const open = (): void => {
    onOpened();
    show({ kind, id });
  };
  return (
    <button type="button" class="search-match" disabled={id === '' || id === 'lead'} onClick={open}>
      <span class="note said">{head}</span>
      <span class="cut said" title={text}>
        {text}
      </span>
    </button>
  );
}

function useSearch(team: string, words: string): [FoundInTeam | undefined, string | undefined] {
  const [found, setFound] = useState<FoundInTeam | undefined>(undefined);
  const [trouble, setTrouble] = useState<string | undefined>(undefined);
  useEffect(() => {
    const gone = new AbortController();
    const ask = async (): Promise<void> => {
      if (words === '') {
        setFound(undefined);
        return;
      }
      try {
        setFound(await get<FoundInTeam>(inTeam(team, `search?q=${encodeURIComponent(words)}`), gone.signal));
        setTrouble(undefined);
      } catch (error) {
        if (!gone.signal.aborted) setTrouble(error instanceof Error ? error.message : 'It failed.');
      }
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [team, words]);
  return [found, trouble];
}
