/** Moves the page through the past of the team. */
import type { JSX } from 'preact';
import { dayAndTime, time, whole } from '../formats.ts';
import type { Past, PastMoves } from '../use-past.ts';

const SPEEDS = [1, 10, 60, 600, 3_600];

export function PastBar({ past, moves }: { past: Past; moves: PastMoves }): JSX.Element {
  const { place, at, isPlaying, speed, trouble } = past;
  return (
    <section class="past" aria-label="Past">
      <div class="tools">
        <button type="button" class="plain" aria-label="One event back" onClick={() => moves.byEvents(-1)}>
          ‹
        </button>
        <button type="button" class="plain" onClick={() => moves.play(!isPlaying)}>
          {isPlaying ? 'Stop' : 'Play'}
        </button>
        <button type="button" class="plain" aria-label="One event on" onClick={() => moves.byEvents(1)}>
          ›
        </button>
        <select
          aria-label="Speed"
          value={String(speed)}
          onChange={(event) => moves.faster(Number(event.currentTarget.value))}
        >
          {SPEEDS.map((one) => (
            <option key={one} value={String(one)}>
              {one} ×
            </option>
          ))}
        </select>
        <input
          type="range"
          aria-label="Moment"
          aria-valuetext={time(at)}
          min={place.firstAt}
          max={place.lastAt}
          step={Math.max(1, Math.floor((place.lastAt - place.firstAt) / 1_000))}
          value={at}
          onInput={(event) => moves.toTime(Number(event.currentTarget.value))}
        />
        <button type="button" class="plain" onClick={moves.toggle}>
          Back to now
        </button>
      </div>
      <p class="note" role="status">
        {trouble ?? `As it stood at ${dayAndTime(place.at)}, event ${whole(place.number)} of ${whole(place.events)}.`}{' '}
        Output, changes and details are those of now.
      </p>
    </section>
  );
}
