/** The page's only clock. It equals the server's clock, because both are on one machine. */
import { useEffect, useState } from 'preact/hooks';
import type { PageModel } from './page-model.ts';

/** The time that a view shows, updated each second while something may change: of the past, its moment. */
export function useNow({ isOver, past }: Pick<PageModel, 'isOver' | 'past'>): number {
  const [now, setNow] = useState(() => Date.now());
  const isStill = isOver || past !== undefined;
  useEffect(() => {
    if (isStill) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isStill]);
  return past ?? now;
}
