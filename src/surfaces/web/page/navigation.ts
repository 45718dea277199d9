/** What every view may use of the page: the current team, and showing details beside the view. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Aside } from './routes.ts';

interface PageNavigation {
  readonly team: string;
  /** The team is not archived, so its tasks may be changed. */
  readonly isLive: boolean;
  readonly show: (aside: Aside | undefined) => void;
}

const Context = createContext<PageNavigation>({ team: '', isLive: false, show: () => {} });

export const PageNavigationProvider = Context.Provider;
export const usePageNavigation = (): PageNavigation => useContext(Context);
