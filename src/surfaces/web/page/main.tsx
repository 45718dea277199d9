/** The page: finds the teams, follows one of them, and handles the keyboard. */
import { render, type JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import 'uplot/dist/uPlot.min.css';
import './page.css';
import type { TeamEntry } from '../wire-types.ts';
import { PageNavigationProvider } from './navigation.ts';
import { TABS, useRoute, type PageRoute } from './routes.ts';
import { PageModel } from './page-model.ts';
import { useNarrow } from './use-narrow.ts';
import { usePast } from './use-past.ts';
import { PastBar } from './panels/past-bar.tsx';
import { useNotifications } from './use-notifications.ts';
import { SearchPanel } from './panels/search-panel.tsx';
import { AsidePanel, KeyHelp, Nav, TAB_NAMES, Top, View } from './panels/page-shell.tsx';
import { get, listen, RequestRefusedError, takeToken } from './http-client.ts';

function Page(): JSX.Element {
  const [place, go] = useRoute();
  const [teams, refusal] = useTeams();
  const team = place.team ?? teams[0]?.id;
  const [live, trouble] = useScene(team);
  const [past, moves] = usePast(team);
  const scene = past?.scene ?? live;
  // What a view remembers is of one team, not of one that is made in its place.
  const shown = `${team ?? ''} ${live.of ?? ''}`;
  const [over, setOver] = useState<Over>(undefined);
  useKeys(go, { onOver: setOver, onPast: moves.toggle });
  useNotifications(live);
  useEffect(() => {
    document.title = `${scene.problems.length > 0 ? `(${scene.problems.length}) ` : ''}${scene.head?.team ?? 'teams'} · ${TAB_NAMES[place.tab]}`;
  }, [scene.version, place.tab]);
  const going = useMemo(
    () => ({
      team: team ?? '',
      isLive: past === undefined && live.head?.isArchived === false,
      show: (aside: PageRoute['aside']) => go({ aside }),
    }),
    [team, live.head?.isArchived, past === undefined],
  );
  // Details cover the views of a narrow page: then only they can be used.
  const isNarrow = useNarrow('covered');
  const isCovered = isNarrow && place.aside !== undefined;
  const waiting =
    team === undefined
      ? (refusal ?? 'Looking for teams…')
      : scene.head === undefined
        ? (trouble ?? 'Reading the team…')
        : undefined;
  return (
    <PageNavigationProvider value={going}>
      <Top
        teams={teams}
        team={team}
        scene={scene}
        trouble={trouble}
        isCovered={isCovered}
        onTeam={(id) => go({ team: id, aside: undefined })}
        onSearch={() => setOver('search')}
        onPast={moves.toggle}
      />
      <Nav tab={place.tab} scene={scene} isCovered={isCovered} onTab={(tab) => go({ tab })} />
      <main inert={isCovered}>
        {past !== undefined && <PastBar past={past} moves={moves} />}
        {waiting === undefined ? <View key={shown} tab={place.tab} scene={scene} /> : <p class="empty">{waiting}</p>}
      </main>
      {place.aside !== undefined && (
        <AsidePanel key={shown} aside={place.aside} scene={scene} onClose={() => go({ aside: undefined })} />
      )}
      {over === 'help' && <KeyHelp onClose={() => setOver(undefined)} />}
      {over === 'search' && team !== undefined && <SearchPanel onClose={() => setOver(undefined)} />}
    </PageNavigationProvider>
  );
}

function useTeams(): [readonly TeamEntry[], string | undefined] {
  const [teams, setTeams] = useState<readonly TeamEntry[]>([]);
  const [refusal, setRefusal] = useState<string | undefined>(undefined);
  useEffect(() => {
    const look = (): void => {
      get<{ teams: TeamEntry[] }>('teams').then(
        (found) => {
          setTeams(found.teams);
          setRefusal(
            found.teams.length === 0 ? 'There is no team here yet; make one with `teams run PLAN`.' : undefined,
          );
        },
        (error: unknown) => {
          if (error instanceof RequestRefusedError) setRefusal(error.message);
        },
      );
    };
    look();
    const timer = setInterval(look, 5_000);
    return () => clearInterval(timer);
  }, []);
  return [teams, refusal];
}

function useScene(team: string | undefined): [PageModel, string | undefined] {
  const scene = useMemo(() => new PageModel(), [team]);
  const [trouble, setTrouble] = useState<string | undefined>(undefined);
  const [, setVersion] = useState(0);
  useEffect(() => {
    if (team === undefined) return undefined;
    const gone = new AbortController();
    let isAsked = false;
    const draw = (): void => {
      isAsked = false;
      setVersion(scene.version);
    };
    const onUpdate = (update: Parameters<PageModel['put']>[0]): void => {
      scene.put(update);
      // A hidden tab draws nothing.
      if (!isAsked) requestAnimationFrame(draw);
      isAsked = true;
    };
    void listen(team, { onUpdate, onState: setTrouble }, gone.signal);
    return () => gone.abort();
  }, [team]);
  return [scene, trouble];
}

/** What covers the page. */
type Over = 'help' | 'search' | undefined;

interface KeyDeeds {
  readonly onOver: (over: Over) => void;
  readonly onPast: () => void;
}

/** Keys: 1 to 9 for the views, / to search in a view, Ctrl-K to search everything, t for the past, ? for help, Escape to close. */
function useKeys(go: (change: Partial<PageRoute>) => void, deeds: KeyDeeds): void {
  const latest = useRef(deeds);
  latest.current = deeds;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // It has its own keys, and closes itself.
      if (document.querySelector('dialog[open]') !== null) return;
      if (event.key === 'Escape') return go({ aside: undefined });
      if (event.key === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        return latest.current.onOver('search');
      }
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '?') return latest.current.onOver('help');
      if (event.key === 't') return latest.current.onPast();
      const tab = TABS[Number(event.key) - 1];
      if (tab !== undefined) return go({ tab });
      const search = document.querySelector('[data-search]');
      if (event.key !== '/' || !(search instanceof HTMLElement)) return;
      event.preventDefault();
      search.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

takeToken();
const root = document.getElementById('page');
if (root !== null) render(<Page />, root);
