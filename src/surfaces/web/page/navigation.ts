/** What every view may ask of the page: to show something beside it, and to be in a team. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Aside } from './routes.ts';

export interface PageNavigation {
  readonly team: string;
  /** The team's tasks may be changed: it is not archived. */
  readonly isLive: boolean;
  readonly show: (aside: Aside | undefined) => void;
}

const Context = createContext<PageNavigation>({ team: '', isLive: false, show: () => {} });

export const PageNavigationProvider = Context.Provider;
export const usePageNavigation = (): PageNavigation => useContext(Context);
