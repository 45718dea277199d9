/** Whether the page is as narrow as a phone's; the same width as in page.css. */
import { useEffect, useState } from 'preact/hooks';

const NARROW = '(max-width: 560px)';

export function useNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const onChange = (): void => setIsNarrow(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, []);
  return isNarrow;
}
