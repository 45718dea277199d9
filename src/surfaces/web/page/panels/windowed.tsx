/**
 * A list of any length that renders only its visible rows. All rows have the same height. The arrow keys move from row
 * to row, and a screen reader gets the position in the whole list.
 */
import type { ComponentChild, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface WindowedProps {
  readonly label: string;
  readonly count: number;
  /** Height of a row in pixels. */
  readonly height: number;
  readonly row: (index: number) => ComponentChild;
  readonly empty: string;
  /** Called with the range of visible rows. */
  readonly onSeen?: (first: number, last: number) => void;
}

/** Rows rendered above and below the visible ones. */
const MARGIN = 6;

export function Windowed({ label, count, height, row, empty, onSeen }: WindowedProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, size: 600 });
  const [at, setAt] = useState(0);
  useEffect(() => watchSize(box.current, setSeen), []);
  const first = Math.max(0, Math.floor(seen.top / height) - MARGIN);
  const last = Math.min(count - 1, Math.ceil((seen.top + seen.size) / height) + MARGIN);
  useEffect(() => onSeen?.(first, last), [first, last]);
  const walk = (event: KeyboardEvent): void => {
    const next = stepOf(event.key, Math.min(at, count - 1), count, Math.floor(seen.size / height));
    if (next === undefined || box.current === null) return;
    event.preventDefault();
    setAt(next);
    reveal(box.current, next, height);
    requestAnimationFrame(() => focusRow(box.current, next));
  };
  if (count === 0) return <p class="empty">{empty}</p>;
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return (
    <div class="windowed" ref={box} onKeyDown={walk} onScroll={(event) => setSeen(sightOf(event.currentTarget))}>
      <div class="windowed-inside" role="list" aria-label={label} style={{ height: `${count * height}px` }}>
        {rows.map((index) => (
          <div
            key={index}
            class="windowed-row"
            role="listitem"
            aria-posinset={index + 1}
            aria-setsize={count}
            data-index={index}
            style={{ top: `${index * height}px`, height: `${height}px` }}
            onFocusIn={() => setAt(index)}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

const sightOf = ({ scrollTop, clientHeight }: HTMLElement): { top: number; size: number } => ({
  top: scrollTop,
  size: clientHeight,
});

function watchSize(
  box: HTMLElement | null,
  tell: (sight: { top: number; size: number }) => void,
): (() => void) | undefined {
  if (box === null) return undefined;
  const observer = new ResizeObserver(() => tell(sightOf(box)));
  observer.observe(box);
  return () => observer.disconnect();
}

function stepOf(key: string, at: number, count: number, page: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  const next = steps[key];
  return next === undefined ? undefined : Math.max(0, Math.min(count - 1, next));
}

function reveal(box: HTMLElement, index: number, height: number): void {
  const [top, bottom] = [index * height, (index + 1) * height];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

const focusRow = (box: HTMLElement | null, index: number): void => {
  const target = box?.querySelector(`[data-index="${index}"] button`);
  if (target instanceof HTMLElement) target.focus();
};
