/** The frame of the page: the team and its state, the views, and the details beside them. */
import { Fragment, type JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Head, TeamEntry } from '../../wire-types.ts';
import { ActivityView } from './activity.tsx';
import { BoardView } from './board-view.tsx';
import { ChangesView } from './changes-view.tsx';
import { DialogPanel } from './dialog-panel.tsx';
import { FileAside } from './file-aside.tsx';
import { GraphView } from './graph.tsx';
import { MailView } from './mail-view.tsx';
import { Figure } from './labels.tsx';
import { MemberAside } from './member-aside.tsx';
import { OutputView } from './output-view.tsx';
import { OverviewView } from './overview.tsx';
import { askForNotifications, canAskForNotifications } from '../use-notifications.ts';
import { TABS, type Aside, type Tab } from '../routes.ts';
import type { PageModel } from '../page-model.ts';
import { SpendingView } from './spending-view.tsx';
import { TaskAside } from './task-aside.tsx';
import { TimelineView } from './timeline-view.tsx';
import { whole } from '../formats.ts';

export const TAB_NAMES: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  output: 'Output',
  board: 'Board',
  graph: 'Graph',
  timeline: 'Timeline',
  changes: 'Changes',
  mail: 'Mail',
  spending: 'Spending',
  activity: 'Activity',
};

const VIEWS: Readonly<Record<Tab, (props: { scene: PageModel }) => JSX.Element>> = {
  overview: OverviewView,
  output: OutputView,
  board: BoardView,
  graph: GraphView,
  timeline: TimelineView,
  changes: ChangesView,
  mail: MailView,
  spending: SpendingView,
  activity: ActivityView,
};

interface NavProps {
  readonly tab: Tab;
  readonly scene: PageModel;
  /** Details cover it. */
  readonly isCovered: boolean;
  readonly onTab: (tab: Tab) => void;
}

export function Nav({ tab, scene, isCovered, onTab }: NavProps): JSX.Element {
  const views = useRef<HTMLElement>(null);
  // On a phone the views are one line that scrolls.
  useEffect(() => {
    views.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab]);
  return (
    <nav aria-label="Views" ref={views} inert={isCovered}>
      {TABS.map((one, index) => (
        <button
          key={one}
          type="button"
          aria-current={one === tab ? 'page' : undefined}
          title={`${TAB_NAMES[one]} (${index + 1})`}
          onClick={() => onTab(one)}
        >
          {TAB_NAMES[one]}
          {one === 'overview' && scene.problems.length > 0 && (
            <span class="badge">
              {scene.problems.length}
              <span class="unseen"> need you</span>
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}

/** A sign for each outcome, so that colour is not needed. */
const OUTCOME_SIGNS: Readonly<Record<NonNullable<Head['outcome']>, string>> = {
  running: '▶',
  waiting: '?',
  succeeded: '✓',
  failed: '✗',
  interrupted: '‖',
  cancelled: '–',
};

interface TopProps {
  readonly teams: readonly TeamEntry[];
  readonly team: string | undefined;
  readonly scene: PageModel;
  readonly trouble: string | undefined;
  /** Details cover it. */
  readonly isCovered: boolean;
  readonly onTeam: (team: string) => void;
  readonly onSearch: () => void;
  readonly onPast: () => void;
}

export function Top({ teams, team, scene, trouble, isCovered, onTeam, onSearch, onPast }: TopProps): JSX.Element {
  const { head } = scene;
  const total = head?.counts.total ?? 0;
  const done = head?.counts['completed'] ?? 0;
  const failed = head?.counts['failed'] ?? 0;
  return (
    <header inert={isCovered}>
      <h1>teams</h1>
      <select aria-label="Team" value={team} onChange={(event) => onTeam(event.currentTarget.value)}>
        {teams.map(({ id, name, archivedAt }) => (
          <option key={id} value={id}>
            {archivedAt === undefined ? name : `${name} — archived ${archivedAt.slice(0, 16).replace('T', ' ')}`}
          </option>
        ))}
      </select>
      {head !== undefined && (
        <>
          {head.outcome !== undefined && (
            <span class={`run run-${head.outcome}`}>
              <b aria-hidden="true">{OUTCOME_SIGNS[head.outcome]}</b>{' '}
              {head.isPaused && head.outcome === 'waiting' ? 'paused' : head.outcome}
              {head.isArchived ? ', archived' : ''}
            </span>
          )}
          <progress max={Math.max(1, total)} value={done} aria-label={`${done} of ${total} tasks completed`} />
          <span class="note">
            <Figure file="board/log.jsonl" what="tasks completed">
              {whole(done)}/{whole(total)}
            </Figure>
          </span>
          {failed > 0 && (
            <span class="failed-count">
              <Figure file="board/log.jsonl" what="tasks that failed">
                ✗ {whole(failed)} failed
              </Figure>
            </span>
          )}
          {head.isReading && (
            <span class="note" role="status">
              reading the events…
            </span>
          )}
        </>
      )}
      <span class="grow" />
      <button type="button" class="plain" title="Search everything (Ctrl-K)" onClick={onSearch}>
        Search
      </button>
      <button
        type="button"
        class="plain"
        aria-pressed={scene.past !== undefined}
        title="Look at the past (t)"
        onClick={onPast}
      >
        Past
      </button>
      <NotifyButton />
      <Live trouble={trouble ?? head?.trouble ?? undefined} scene={scene} />
    </header>
  );
}

/** Browsers ask a person only after a click. */
function NotifyButton(): JSX.Element | null {
  const [canAsk, setCanAsk] = useState(canAskForNotifications);
  if (!canAsk) return null;
  const ask = (): void => void askForNotifications().finally(() => setCanAsk(false));
  return (
    <button type="button" class="plain notify" onClick={ask}>
      Notify me
    </button>
  );
}

function Live({ trouble, scene }: { trouble: string | undefined; scene: PageModel }): JSX.Element {
  const { head, past } = scene;
  if ((head ?? trouble) === undefined) return <span class="live" role="status" />;
  const isLed = head?.lead.alive === true && past === undefined;
  const lead = isLed ? (
    <Figure file="team/processes/lead.json" what="lead process">
      {head.lead.machine === undefined ? `led by process ${head.lead.pid ?? '?'}` : `led on ${head.lead.machine}`}
    </Figure>
  ) : past === undefined ? (
    'no lead runs'
  ) : (
    'the past'
  );
  return (
    <span class={`live ${trouble === undefined ? (isLed ? '' : 'live-off') : 'live-bad'}`} role="status">
      <i aria-hidden="true" />
      {trouble ?? lead}
    </span>
  );
}

/** The keys of the page. */
export function KeyHelp({ onClose }: { onClose: () => void }): JSX.Element {
  return (
    <DialogPanel label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl class="facts said">
        {TABS.map((tab, index) => (
          <Fragment key={tab}>
            <dt>{index + 1}</dt>
            <dd>{TAB_NAMES[tab]}</dd>
          </Fragment>
        ))}
        <dt>/</dt>
        <dd>search in this view</dd>
        <dt>Ctrl-K</dt>
        <dd>search everything</dd>
        <dt>t</dt>
        <dd>look at the past, or back to now</dd>
        <dt>Arrows, Page up and down</dt>
        <dd>move through a list</dd>
        <dt>Ctrl-Enter</dt>
        <dd>send a text</dd>
        <dt>Escape</dt>
        <dd>close what is open</dd>
      </dl>
    </DialogPanel>
  );
}

export function View({ tab, scene }: { tab: Tab; scene: PageModel }): JSX.Element {
  const Shown = VIEWS[tab];
  return (
    <>
      <h2 class="unseen">{TAB_NAMES[tab]}</h2>
      <Shown scene={scene} />
    </>
  );
}

export function AsidePanel({
  aside,
  scene,
  onClose,
}: {
  aside: Aside;
  scene: PageModel;
  onClose: () => void;
}): JSX.Element {
  const panel = useRef<HTMLElement>(null);
  const { kind, id } = aside;
  const isRead = scene.head !== undefined;
  // The opened details get the focus; on closing, the previous element gets it back. An inert element loses the focus
  // and takes none: so it is remembered before the page is drawn with what it covers, and focused when it is drawn without.
  const before = useRef(document.activeElement);
  useLayoutEffect(() => {
    panel.current?.focus();
    return () => {
      const { current } = before;
      if (current instanceof HTMLElement) queueMicrotask(() => current.focus());
    };
  }, []);
  return (
    <aside ref={panel} tabIndex={-1} aria-label={`${kind} ${id}`}>
      <button type="button" class="close" aria-label="Close (Escape)" onClick={onClose}>
        ×
      </button>
      {kind === 'task' && isRead && <TaskAside id={id} scene={scene} />}
      {kind === 'member' && isRead && <MemberAside name={id} scene={scene} />}
      {kind === 'file' && <FileAside file={id} scene={scene} />}
    </aside>
  );
}
