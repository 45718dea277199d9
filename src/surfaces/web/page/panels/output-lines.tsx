/** The output of one task or member: its last lines, live, with a search. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { usePageNavigation } from '../navigation.ts';
import { useOutput, type OutputSubject } from '../use-output.ts';
import { plural, whole } from '../formats.ts';

/** Lines that are drawn at most. */
const DRAWN = 1_000;

export function OutputLines({ subject, isStill }: { subject: OutputSubject; isStill: boolean }): JSX.Element {
  const { team } = usePageNavigation();
  const { lines: ended, unfinished, total, trouble, isAwaited } = useOutput(team, subject, isStill);
  const lines = useMemo(() => (unfinished === '' ? ended : [...ended, unfinished]), [ended, unfinished]);
  const [words, setWords] = useState('');
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines, words]);
  const wanted = words.toLowerCase();
  const found = wanted === '' ? lines : lines.filter((line) => line.toLowerCase().includes(wanted));
  const what = subject.kind === 'task' ? `task ${subject.id}` : subject.id;
  return (
    <div class="output">
      <div class="tools">
        <input
          type="search"
          data-search
          placeholder="Search the output"
          aria-label={`Search the output of ${what}`}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <span class="note said">
          {wanted === '' ? plural(total, 'line') : `${whole(found.length)} of ${plural(lines.length, 'line')}`}
        </span>
      </div>
      {trouble !== '' && <p class="outcome outcome-bad">{trouble}</p>}
      <pre
        ref={box}
        class="output-lines said"
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={`Output of ${what}`}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight > scrollHeight - 8;
        }}
      >
        {found.length === 0 ? (isAwaited ? 'Reading…' : 'Nothing printed yet.') : found.slice(-DRAWN).join('\n')}
      </pre>
    </div>
  );
}
