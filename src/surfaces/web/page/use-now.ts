/** The page's only clock. It equals the server's clock, because both are on one machine. */
import { useEffect, useState } from 'preact/hooks';

/**
 * The time, updated each second.
 * @param isStill true when nothing changes any more
 */
export function useNow(isStill: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (isStill) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isStill]);
  return now;
}
