/** The page's only clock: the server's too, since both are on one machine. */
import { useEffect, useState } from 'preact/hooks';

/** The time, drawn anew each second. @param isStill nothing goes on any more */
export function useNow(isStill: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (isStill) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isStill]);
  return now;
}
