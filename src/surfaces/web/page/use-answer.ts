/** The server's answer to one request, requested again when `mark` changes. */
import { useEffect, useState } from 'preact/hooks';
import { get, inTeam } from './http-client.ts';

type Answer<T> =
  | { readonly kind: 'awaited' }
  | { readonly kind: 'there'; readonly value: T }
  | { readonly kind: 'failed'; readonly why: string };

/** @param mark a new value causes a new request */
export function useAnswer<T>(team: string, path: string, mark: unknown): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T> & { readonly of?: string }>({ kind: 'awaited' });
  useEffect(() => {
    const gone = new AbortController();
    get<T>(inTeam(team, path), gone.signal).then(
      (value) => setAnswer({ kind: 'there', value, of: path }),
      (error: unknown) => {
        if (gone.signal.aborted) return;
        setAnswer({ kind: 'failed', why: error instanceof Error ? error.message : 'It failed.', of: path });
      },
    );
    return () => gone.abort();
  }, [team, path, mark]);
  // An answer to another path is not shown.
  return answer.of === path ? answer : { kind: 'awaited' };
}
