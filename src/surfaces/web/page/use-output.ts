/** The lines that a task or a member prints: asked for again each second while the run goes on. */
import { useEffect, useState } from 'preact/hooks';
import type { OutputPage } from '../wire-types.ts';
import { get, inTeam } from './http-client.ts';

/** Whose output; `task` wins. */
export interface OutputSubject {
  readonly kind: 'task' | 'member';
  readonly id: string;
}

interface Shown {
  readonly of: string;
  readonly lines: readonly string[];
  readonly unfinished: string;
  readonly total: number;
  readonly trouble: string;
}

/** Lines that the page keeps; the log has all. */
const KEPT = 5_000;
const AGAIN_MS = 1_000;

const NOTHING = { lines: [], unfinished: '', total: 0, trouble: '' };

/** @param isStill nothing more will come */
export function useOutput(
  team: string,
  { kind, id }: OutputSubject,
  isStill: boolean,
): Shown & { readonly isAwaited: boolean } {
  const of = `${kind}=${encodeURIComponent(id)}`;
  const [shown, setShown] = useState<Shown>({ ...NOTHING, of: '' });
  useEffect(() => {
    const gone = new AbortController();
    let known = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      try {
        const { lines, unfinished, total } = await get<OutputPage>(
          inTeam(team, `output?${of}&after=${known}`),
          gone.signal,
        );
        known = total;
        setShown((before) => {
          const earlier = before.of === of ? before.lines : [];
          return { of, lines: [...earlier, ...lines].slice(-KEPT), unfinished, total, trouble: '' };
        });
      } catch (error) {
        if (gone.signal.aborted) return;
        const trouble = error instanceof Error ? error.message : 'It failed.';
        setShown((before) => ({ ...before, of, trouble }));
      }
      if (!isStill && !gone.signal.aborted) timer = setTimeout(() => void ask(), AGAIN_MS);
    };
    void ask();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [team, of, isStill]);
  return shown.of === of ? { ...shown, isAwaited: false } : { ...NOTHING, of, isAwaited: true };
}
