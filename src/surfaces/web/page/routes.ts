/**
 * The page's location, kept in the address: `#/TEAM/TAB`, followed by `/task/3`, `/member/ada` or
 * `/file/team/events.jsonl` for the details beside it.
 */
import { useEffect, useState } from 'preact/hooks';

export const TABS = [
  'overview',
  'output',
  'board',
  'graph',
  'timeline',
  'changes',
  'mail',
  'spending',
  'activity',
] as const;
export type Tab = (typeof TABS)[number];

export type Aside = { readonly kind: 'task' | 'member' | 'file'; readonly id: string };

export interface PageRoute {
  readonly team: string | undefined;
  readonly tab: Tab;
  readonly aside: Aside | undefined;
}

function parseRoute(hash: string): PageRoute {
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
    // A malformed address typed by hand; no team has an empty name.
    return '';
  }
};

function asideOf(kind: string | undefined, id: string): Aside | undefined {
  if (kind !== 'task' && kind !== 'member' && kind !== 'file') return undefined;
  return id === '' ? undefined : { kind, id };
}

function hashOf({ team = '', tab, aside }: PageRoute): string {
  const rest = aside === undefined ? [] : [aside.kind, ...aside.id.split('/')];
  return `#/${[team, tab, ...rest].map(encodeURIComponent).join('/')}`;
}

export function useRoute(): [PageRoute, (change: Partial<PageRoute>) => void] {
  const [place, setPlace] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const onHash = (): void => setPlace(parseRoute(location.hash));
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, []);
  const go = (change: Partial<PageRoute>): void => {
    location.hash = hashOf({ ...parseRoute(location.hash), ...change });
  };
  return [place, go];
}
