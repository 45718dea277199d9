/** What the server says to one question, asked again when what it is about has changed. */
import { useEffect, useState } from 'preact/hooks';
import { get, inTeam } from './http-client.ts';

export type Answer<T> =
  | { readonly is: 'awaited' }
  | { readonly is: 'there'; readonly value: T }
  | { readonly is: 'failed'; readonly why: string };

/** @param mark asked again when it is another */
export function useAnswer<T>(team: string, path: string, mark: unknown): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T> & { readonly of?: string }>({ is: 'awaited' });
  useEffect(() => {
    const gone = new AbortController();
    get<T>(inTeam(team, path), gone.signal).then(
      (value) => setAnswer({ is: 'there', value, of: path }),
      (error: unknown) => {
        if (gone.signal.aborted) return;
        setAnswer({ is: 'failed', why: error instanceof Error ? error.message : 'It failed.', of: path });
      },
    );
    return () => gone.abort();
  }, [team, path, mark]);
  // What was said of something else is no answer to this.
  return answer.of === path ? answer : { is: 'awaited' };
}
