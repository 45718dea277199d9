/** The latest events, newest first. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { EventRow } from '../../wire-types.ts';
import { Figure, MemberName } from './labels.tsx';
import type { PageModel } from '../page-model.ts';
import { Windowed } from './windowed.tsx';
import { useNarrow } from '../use-narrow.ts';
import { time, whole } from '../formats.ts';

/** Pixels of a row: one line, on a phone one for the member and two for the text; as in page.css. */
const ROW = { wide: 26, narrow: 66 };

export function ActivityView({ scene }: { scene: PageModel }): JSX.Element {
  const [words, setWords] = useState('');
  const isNarrow = useNarrow('phone');
  const events = useMemo(() => found(scene.events, words), [scene.events, words]);
  return (
    <section class="view activity-view" aria-label="Activity">
      <div class="tools">
        <input
          type="search"
          data-search
          placeholder="Find in the last events"
          aria-label="Find in the last events"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <span class="note">
          <Figure file="team/events.jsonl" what="events">
            the last {whole(scene.events.length)} of {whole(scene.events.at(-1)?.number ?? 0)}
          </Figure>
        </span>
      </div>
      <Windowed
        label="Events"
        count={events.length}
        height={isNarrow ? ROW.narrow : ROW.wide}
        empty="No event matches."
        row={(index) => {
          const event = events[index];
          return event && <Line event={event} scene={scene} />;
        }}
      />
    </section>
  );
}

function Line({ event, scene }: { event: EventRow; scene: PageModel }): JSX.Element {
  return (
    <div class="event">
      <Figure file={event.isOfBoard ? 'board/log.jsonl' : 'team/events.jsonl'} what={event.type}>
        <time>{time(event.at)}</time>
      </Figure>
      <span class="event-who">
        {event.member !== null && <MemberName name={event.member} members={scene.members} />}
      </span>
      <span class="cut said" title={event.text}>
        {event.text}
      </span>
    </div>
  );
}

function found(events: readonly EventRow[], words: string): EventRow[] {
  const wanted = words.trim().toLowerCase();
  const some =
    wanted === ''
      ? events
      : events.filter(({ text, member }) => `${member ?? ''} ${text}`.toLowerCase().includes(wanted));
  return some.toReversed();
}
