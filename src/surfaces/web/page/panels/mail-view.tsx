/** All mail, newest first. The server searches; only visible rows are fetched. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MailPage, MailRow } from '../../wire-types.ts';
import { SendForm } from '../compose.tsx';
import { usePageNavigation } from '../navigation.ts';
import { Figure, FileLinks } from './labels.tsx';
import type { PageModel } from '../page-model.ts';
import { Windowed } from './windowed.tsx';
import { inTeam, get } from '../http-client.ts';
import { dayAndTime, time, whole } from '../formats.ts';

const PAGE = 100;
const ROW = 54;
/** The search starts after this pause in typing. */
const PAUSE_MS = 200;

interface Found {
  readonly total: number;
  readonly rows: ReadonlyMap<number, MailRow>;
}

const NOTHING: Found = { total: -1, rows: new Map() };

export function MailView({ scene }: { scene: PageModel }): JSX.Element {
  const { team } = usePageNavigation();
  const [member, setMember] = useState('');
  const [words, setWords] = useState('');
  const asked = usePaused(words);
  const messages = scene.edges.reduce((sum, { count }) => sum + count, 0);
  const [found, fetchRows] = useMail(team, { member, words: asked, until: scene.past }, messages);
  const [read, setRead] = useState<MailRow | undefined>(undefined);
  const names = ['lead', ...scene.members.map(({ name }) => name)];
  return (
    <section class="view mail-view" aria-label="Mail">
      <div class="tools">
        <select aria-label="Whose inbox" value={member} onChange={(event) => setMember(event.currentTarget.value)}>
          <option value="">All inboxes</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <input
          type="search"
          data-search
          placeholder="Search mail"
          aria-label="Search mail"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <span class="note" role="status">
          {found.total < 0 ? (
            'reading…'
          ) : (
            <Figure file={`team/${member || '*'}_history.jsonl`} what="messages found">
              {whole(found.total)} found
            </Figure>
          )}
        </span>
      </div>
      <div class="mail-columns">
        <Windowed
          label="Mail"
          count={Math.max(0, found.total)}
          height={ROW}
          empty={found.total < 0 ? 'Reading the mail…' : 'No mail matches.'}
          onSeen={fetchRows}
          row={(index) => <Row row={found.rows.get(index)} isRead={read?.id} onRead={setRead} />}
        />
        <div class="mail-side">
          {read !== undefined && <Message row={read} />}
          <h2>Write</h2>
          <SendForm names={names.slice(1)} />
          {scene.edges.length > 0 && <Pairs scene={scene} />}
        </div>
      </div>
    </section>
  );
}

/** Pairs that are listed. */
const PAIRS = 12;

/** Who writes to whom, most first. */
function Pairs({ scene }: { scene: PageModel }): JSX.Element {
  const edges = [...scene.edges].sort((a, b) => b.count - a.count);
  const most = edges[0]?.count ?? 1;
  return (
    <>
      <h2>Who writes to whom</h2>
      {edges.slice(0, PAIRS).map(({ from, to, count }) => (
        <div class="pair" key={`${from} ${to}`}>
          <span class="pair-names cut said">
            {from} → {to}
          </span>
          <meter min={0} max={most} value={count} aria-label={`mail from ${from} to ${to}`} />
          <Figure file="team/events.jsonl" what={`mail from ${from} to ${to}`}>
            {whole(count)}
          </Figure>
        </div>
      ))}
    </>
  );
}

interface RowProps {
  readonly row: MailRow | undefined;
  readonly isRead: string | undefined;
  readonly onRead: (row: MailRow) => void;
}

function Row({ row, isRead, onRead }: RowProps): JSX.Element {
  if (row === undefined) return <div class="mail-row loading" />;
  return (
    <button type="button" class="mail-row" aria-current={row.id === isRead} onClick={() => onRead(row)}>
      <span class="mail-head">
        <span class="mail-who">
          <b>{row.from}</b> → {row.to}
        </span>
        <span class="kind">{row.kind}</span>
        {row.isWaiting && <span class="kind waiting">unread</span>}
        <span class="grow" />
        <time>{time(row.at)}</time>
      </span>
      <span class="mail-text">{row.text}</span>
    </button>
  );
}

function Message({ row }: { row: MailRow }): JSX.Element {
  const file = `team/${row.to}_${row.isWaiting ? 'inbox' : 'history'}.jsonl`;
  return (
    <article class="message" aria-label={`Message from ${row.from}`}>
      <p class="note">
        <span class="said">
          {row.from} → {row.to} · {row.kind}
        </span>{' '}
        ·{' '}
        <Figure file={file} what="sent">
          {dayAndTime(row.at)}
        </Figure>
      </p>
      <pre class="text said" tabIndex={0}>
        {row.text}
      </pre>
      <FileLinks files={[file]} />
    </article>
  );
}

function usePaused(words: string): string {
  const [paused, setPaused] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(words), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return paused;
}

/** @param mark changes when there is new mail; visible rows are then fetched again */
function useMail(
  team: string,
  { member, words, until }: { member: string; words: string; until: number | undefined },
  mark: number,
): [Found, (first: number, last: number) => void] {
  const [found, setFound] = useState<Found>(NOTHING);
  const seen = useRef({ first: 0, last: PAGE - 1 });
  const query = useMemo(() => {
    const wanted = new URLSearchParams();
    if (member !== '') wanted.set('member', member);
    if (words !== '') wanted.set('q', words);
    if (until !== undefined) wanted.set('until', String(until));
    return wanted;
  }, [member, words, until]);
  const latest = useRef(query);
  latest.current = query;
  const fetchPages = async (first: number, last: number, known: Found): Promise<void> => {
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1) {
      if (known.rows.has(page * PAGE)) continue;
      const { total, rows } = await get<MailPage>(inTeam(team, `mail?${query}&skip=${page * PAGE}&count=${PAGE}`));
      // The answer belongs to an outdated query.
      if (latest.current !== query) return;
      setFound((before) => {
        const kept = known === NOTHING && page === Math.floor(first / PAGE) ? [] : [...before.rows];
        return { total, rows: new Map([...kept, ...rows.map((row, at) => [page * PAGE + at, row] as const)]) };
      });
    }
  };
  useEffect(() => {
    const quiet = (): void => setFound({ total: 0, rows: new Map() });
    fetchPages(seen.current.first, seen.current.last, NOTHING).catch(quiet);
  }, [query, mark]);
  const onSeen = (first: number, last: number): void => {
    seen.current = { first, last: Math.max(first, last) };
    if (found.total > 0) void fetchPages(first, Math.min(last, found.total - 1), found).catch(() => {});
  };
  return [found, onSeen];
}
