/** A moment of the team's past, shown instead of now: moved by hand, by events, or played at a speed. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PastAnswer, PastPlace } from '../wire-types.ts';
import { get, inTeam } from './http-client.ts';
import { PageModel } from './page-model.ts';

/** While it plays, a moment is asked for this often. */
const STEP_MS = 250;

export interface Past {
  readonly place: PastPlace;
  readonly scene: PageModel;
  /** Where the slider stands; milliseconds since 1970. */
  readonly at: number;
  readonly isPlaying: boolean;
  /** How much of the team's time passes in a second. */
  readonly speed: number;
  /** Why the last moment could not be shown. */
  readonly trouble: string | undefined;
}

export interface PastMoves {
  /** Begins at the last event, or goes back to now. */
  readonly toggle: () => void;
  readonly toTime: (at: number) => void;
  readonly byEvents: (count: number) => void;
  readonly play: (isPlaying: boolean) => void;
  readonly faster: (speed: number) => void;
}

type Wanted = { readonly event: number } | { readonly at: number };

/** @returns the past while it is looked at, and what moves it */
export function usePast(team: string | undefined): [Past | undefined, PastMoves] {
  const [past, setPast] = useState<Past | undefined>(undefined);
  const wanted = useRef<Wanted | undefined>(undefined);
  const isAsking = useRef(false);
  const isOpen = useRef(false);

  /** One request at a time; of the moments that were wanted meanwhile only the last one is asked for. */
  const ask = async (next: Wanted): Promise<void> => {
    wanted.current = next;
    if (isAsking.current || team === undefined) return;
    isAsking.current = true;
    try {
      for (let one: Wanted | undefined = next; one !== undefined && isOpen.current; one = wanted.current) {
        wanted.current = undefined;
        const query = new URLSearchParams(Object.entries(one).map(([key, value]) => [key, String(value)]));
        const { place, update } = await get<PastAnswer>(inTeam(team, `past?${query}`));
        const scene = new PageModel();
        scene.put(update);
        scene.past = place.at;
        const asked = 'at' in one ? one.at : place.at;
        if (isStillOpen(isOpen))
          setPast((before) => ({
            ...STILL,
            ...before,
            place,
            scene,
            at: before?.isPlaying ? before.at : asked,
            trouble: undefined,
          }));
      }
    } catch (error) {
      const trouble = error instanceof Error ? error.message : 'It failed.';
      setPast((before) => {
        // Where nothing could be shown yet, the next press tries again.
        if (before === undefined) isOpen.current = false;
        return before && { ...before, isPlaying: false, trouble };
      });
    } finally {
      isAsking.current = false;
    }
  };

  const close = (): void => {
    isOpen.current = false;
    wanted.current = undefined;
    setPast(undefined);
  };
  useEffect(() => close, [team]);

  useEffect(() => {
    if (past?.isPlaying !== true) return undefined;
    const timer = setInterval(() => {
      setPast((before) => {
        if (before === undefined) return before;
        const at = Math.min(before.place.lastAt, before.at + before.speed * STEP_MS);
        void ask({ at });
        return { ...before, at, isPlaying: at < before.place.lastAt };
      });
    }, STEP_MS);
    return () => clearInterval(timer);
  }, [past?.isPlaying]);

  const moves: PastMoves = {
    toggle: () => {
      if (isOpen.current) return close();
      isOpen.current = true;
      void ask({ event: LAST });
    },
    toTime: (at) => {
      setPast((before) => before && { ...before, at, isPlaying: false });
      void ask({ at });
    },
    byEvents: (count) => {
      setPast((before) => before && { ...before, isPlaying: false });
      if (past !== undefined) void ask({ event: Math.max(1, past.place.number + count) });
    },
    play: (isPlaying) =>
      setPast((before) => {
        if (before === undefined) return before;
        const isAtEnd = before.at >= before.place.lastAt;
        return { ...before, isPlaying, at: isPlaying && isAtEnd ? before.place.firstAt : before.at };
      }),
    faster: (speed) => setPast((before) => before && { ...before, speed }),
  };
  return [past, moves];
}

/** More than any team has: the server answers with the last one. */
const LAST = 999_999_999;

const STILL = { isPlaying: false, speed: 10 };

/** A function, because the value changes while an answer is awaited. */
const isStillOpen = (isOpen: { readonly current: boolean }): boolean => isOpen.current;
