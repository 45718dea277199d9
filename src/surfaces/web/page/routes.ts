/** Where the reader is, kept in the address: `#/TEAM/TAB`, and `/task/3`, `/member/ada`, `/file/team/events.jsonl` beside it. */
import { useEffect, useState } from 'preact/hooks';

export const TABS = ['overview', 'board', 'timeline', 'mail', 'graph', 'spending', 'activity'] as const;
export type Tab = (typeof TABS)[number];

export type Aside = { readonly is: 'task' | 'member' | 'file'; readonly id: string };

export interface Place {
  readonly team: string | undefined;
  readonly tab: Tab;
  readonly aside: Aside | undefined;
}

export function placeIn(hash: string): Place {
  const [team, tab, is, ...id] = hash.replace(/^#\/?/, '').split('/').map(decoded);
  return {
    team: team === '' ? undefined : team,
    tab: TABS.find((one) => one === tab) ?? 'overview',
    aside: asideOf(is, id.join('/')),
  };
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    // A hand-made address; nothing is called so.
    return '';
  }
};

function asideOf(is: string | undefined, id: string): Aside | undefined {
  if (is !== 'task' && is !== 'member' && is !== 'file') return undefined;
  return id === '' ? undefined : { is, id };
}

export function hashOf({ team = '', tab, aside }: Place): string {
  const rest = aside === undefined ? [] : [aside.is, ...aside.id.split('/')];
  return `#/${[team, tab, ...rest].map(encodeURIComponent).join('/')}`;
}

export function usePlace(): [Place, (change: Partial<Place>) => void] {
  const [place, setPlace] = useState(() => placeIn(location.hash));
  useEffect(() => {
    const onHash = (): void => setPlace(placeIn(location.hash));
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, []);
  const go = (change: Partial<Place>): void => {
    location.hash = hashOf({ ...placeIn(location.hash), ...change });
  };
  return [place, go];
}
