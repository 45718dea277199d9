/** The server's answer to one request, requested again when `mark` changes. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, inTeam } from './http-client.ts';

type Answer<T> =
  | { readonly kind: 'awaited' }
  | { readonly kind: 'there'; readonly value: T }
  | { readonly kind: 'failed'; readonly why: string };

/** Least time between an answer and the next request for it. */
const AGAIN_MS = 1_000;

/** Asks one at a time: what is asked meanwhile is asked once, after the answer. An answer that takes long is not given up. */
class Asker {
  readonly gone = new AbortController();
  readonly #request: (signal: AbortSignal) => Promise<void>;
  #isAsking = false;
  #isStale = false;

  constructor(request: (signal: AbortSignal) => Promise<void>) {
    this.#request = request;
  }

  async ask(): Promise<void> {
    this.#isStale = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#takeStale() && !this.gone.signal.aborted) {
      await this.#request(this.gone.signal);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
    this.#isAsking = false;
  }

  #takeStale(): boolean {
    const isStale = this.#isStale;
    this.#isStale = false;
    return isStale;
  }
}

/** @param mark a new value causes a new request */
export function useAnswer<T>(team: string, path: string, mark: unknown): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T> & { readonly of?: string }>({ kind: 'awaited' });
  const asker = useRef<Asker | undefined>(undefined);
  const asked = useRef(mark);
  useEffect(() => {
    const own = new Asker((signal) =>
      get<T>(inTeam(team, path), signal).then(
        (value) => setAnswer({ kind: 'there', value, of: path }),
        (error: unknown) => {
          if (signal.aborted) return;
          setAnswer({ kind: 'failed', why: error instanceof Error ? error.message : 'It failed.', of: path });
        },
      ),
    );
    asker.current = own;
    asked.current = mark;
    void own.ask();
    return () => own.gone.abort();
  }, [team, path]);
  useEffect(() => {
    if (asked.current !== mark) void asker.current?.ask();
    asked.current = mark;
  }, [mark]);
  // An answer to another path is not shown.
  return answer.of === path ? answer : { kind: 'awaited' };
}
