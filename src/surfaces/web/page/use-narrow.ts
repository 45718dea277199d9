/** Whether the page is narrow; the same widths as in page.css. */
import { useEffect, useState } from 'preact/hooks';

/** As wide as a phone; or so wide that details cover the views. */
const WIDTHS = { phone: '(max-width: 560px)', covered: '(max-width: 860px)' } as const;

export function useNarrow(width: keyof typeof WIDTHS): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(WIDTHS[width]).matches);
  useEffect(() => {
    const query = matchMedia(WIDTHS[width]);
    const onChange = (): void => setIsNarrow(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, [width]);
  return isNarrow;
}
