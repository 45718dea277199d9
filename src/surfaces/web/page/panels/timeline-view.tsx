/** The timeline: a lane for each member or task, restarts, and the critical path. */
import type { JSX } from 'preact';
import { useMemo, useRef, useState, useEffect } from 'preact/hooks';
import type { SpanRow, StartRow } from '../../wire-types.ts';
import { useNow } from '../use-now.ts';
import { criticalMs } from '../critical.ts';
import { usePageNavigation } from '../navigation.ts';
import { barsOf, lanesOf, ticksOf, xOf, type Bar, type TimeScale } from '../timeline-lanes.ts';
import { Figure } from './labels.tsx';
import type { PageModel } from '../page-model.ts';
import { Windowed } from './windowed.tsx';
import { duration, plural, time } from '../formats.ts';

/** Width of the names: narrower on a narrow page. */
const labelOf = (width: number): number => (width < 560 ? 104 : 168);
const LANE = 30;
const ZOOMS = [1, 2, 4, 8, 16, 32];

export function TimelineView({ scene }: { scene: PageModel }): JSX.Element {
  const [by, setBy] = useState<'member' | 'task'>('member');
  const [zoom, setZoom] = useState(0);
  const [isPath, setPath] = useState(false);
  const [box, width] = useWidth();
  const lanes = useMemo(() => lanesOf(spansOf(scene, isPath), by), [scene.version, by, isPath]);
  const names = useMemo(() => (by === 'task' ? [...lanes.keys()] : memberLanes(scene, lanes)), [lanes, by]);
  const critical = useMemo(() => new Set(scene.path.tasks), [scene.path]);
  const now = useNow(scene);
  const label = labelOf(width);
  const context = frameOf(scene, now, Math.max(200, width - label - 16) * (ZOOMS[zoom] ?? 1));
  const restarts = useMemo(() => startsBy(scene.starts), [scene.starts]);
  const wide = { width: `${context.width + label}px`, '--label': `${label}px` };
  return (
    <section class="view timeline-view" aria-label="Timeline">
      <div class="tools">
        <Choice label="Lanes" value={by} options={['member', 'task']} onPick={setBy} />
        <label class="check">
          <input type="checkbox" checked={isPath} onChange={() => setPath(!isPath)} /> Critical path only
        </label>
        <span class="grow" />
        <span class="note">
          Critical path:{' '}
          <Figure file="board/log.jsonl" what="critical path">
            {duration(criticalMs(scene, now))} · {plural(scene.path.tasks.length, 'task')}
          </Figure>
        </span>
        <span class="buttons" role="group" aria-label="Zoom">
          <button type="button" disabled={zoom === 0} onClick={() => setZoom(zoom - 1)} aria-label="Zoom out">
            −
          </button>
          <button
            type="button"
            disabled={zoom === ZOOMS.length - 1}
            onClick={() => setZoom(zoom + 1)}
            aria-label="Zoom in"
          >
            +
          </button>
        </span>
      </div>
      <p class="legend" aria-label="Legend">
        <span>
          <i class="bar-key" aria-hidden="true" /> completed
        </span>
        <span>
          <i class="bar-key bar-open" aria-hidden="true" /> in progress
        </span>
        <span>
          <i class="bar-key bar-failed" aria-hidden="true" /> failed
        </span>
        <span>
          <i class="bar-key bar-lost" aria-hidden="true" /> interrupted or given back
        </span>
        <span>
          <i class="bar-key bar-critical" aria-hidden="true" /> critical path
        </span>
      </p>
      <div class="timeline" ref={box}>
        <div class="timeline-inside" style={wide}>
          <Axis frame={context} />
          <Windowed
            label={by === 'member' ? 'Members' : 'Tasks'}
            count={names.length}
            height={LANE}
            empty="No task was claimed yet."
            row={(index) => {
              const name = names[index] ?? '';
              const bars = barsOf(lanes.get(name) ?? [], context, critical);
              const starts = by === 'member' ? (restarts.get(name) ?? []) : [];
              return <Lane name={name} by={by} bars={bars} starts={starts} context={context} scene={scene} />;
            }}
          />
        </div>
      </div>
    </section>
  );
}

interface LaneProps {
  readonly name: string;
  readonly by: 'member' | 'task';
  readonly bars: readonly Bar[];
  readonly starts: readonly StartRow[];
  readonly context: TimeScale;
  readonly scene: PageModel;
}

function Lane({ name, by, bars, starts, context, scene }: LaneProps): JSX.Element {
  const { show } = usePageNavigation();
  const subject = by === 'task' ? `#${name} ${scene.tasks.get(name)?.subject ?? ''}` : name;
  return (
    <div class="lane">
      <button type="button" class="lane-name" onClick={() => show({ kind: by, id: name })} title={subject}>
        {subject}
      </button>
      {bars.map((bar) => (
        <BarMark key={`${bar.span.task}.${bar.span.claim}`} bar={bar} scene={scene} />
      ))}
      {starts
        .filter(({ life }) => life > 1)
        .map(({ at, life }) => (
          <button
            key={life}
            type="button"
            tabIndex={-1}
            class="restart"
            aria-label={`${name} was restarted at ${time(at)}`}
            title={`restart ${life - 1} at ${time(at)}: from board/log.jsonl`}
            style={{ left: `calc(var(--label) + ${xOf(context, at)}px)` }}
            onClick={() => show({ kind: 'file', id: 'board/log.jsonl' })}
          />
        ))}
    </div>
  );
}

function BarMark({ bar, scene }: { bar: Bar; scene: PageModel }): JSX.Element {
  const { show } = usePageNavigation();
  const { span, count, isCritical } = bar;
  const subject = scene.tasks.get(span.task)?.subject ?? '';
  const long = duration((span.to ?? scene.head?.now ?? span.from) - span.from);
  const what = count > 1 ? `${count} short tasks from ${time(span.from)}` : `#${span.task} ${subject}`;
  const how = count > 1 ? '' : `, ${span.end ?? 'in progress'}, ${long}, by ${span.member}`;
  const isWide = bar.width > 36 && count === 1;
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`bar bar-${span.end ?? 'open'}${isCritical ? ' bar-critical' : ''}`}
      title={what + how}
      aria-label={`${what}${how}${isCritical ? ', on the critical path' : ''}`}
      style={{ left: `calc(var(--label) + ${bar.left}px)`, width: `${Math.max(2, bar.width - 1)}px` }}
      onClick={() => show({ kind: 'task', id: span.task })}
    >
      {isWide ? `#${span.task}${bar.width > 120 ? ` ${subject}` : ''}` : ''}
    </button>
  );
}

function Axis({ frame: context }: { frame: TimeScale }): JSX.Element {
  return (
    <div class="axis" aria-hidden="true">
      {ticksOf(context).map((at) => (
        <span key={at} style={{ left: `calc(var(--label) + ${xOf(context, at)}px)` }}>
          {time(at)}
        </span>
      ))}
    </div>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly T[];
  readonly onPick: (value: T) => void;
}

function Choice<T extends string>({ label, value, options, onPick }: ChoiceProps<T>): JSX.Element {
  return (
    <span class="buttons" role="group" aria-label={label}>
      {options.map((one) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => onPick(one)}>
          By {one}
        </button>
      ))}
    </span>
  );
}

function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(900);
  useEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 900));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}

function frameOf({ head, spans }: PageModel, now: number, width: number): TimeScale {
  const begins = head?.firstAt ?? 0;
  const isOpen = [...spans.values()].some(({ to }) => to === null);
  const to = isOpen ? now : (head?.lastAt ?? begins);
  return { from: begins, to: Math.max(begins + 1_000, to), width };
}

function spansOf(scene: PageModel, isPath: boolean): Iterable<SpanRow> {
  if (!isPath) return scene.spans.values();
  const on = new Set(scene.path.tasks);
  return [...scene.spans.values()].filter(({ task }) => on.has(task));
}

/** All members in the order of joining, then other names that have spans. */
const memberLanes = ({ members }: PageModel, lanes: ReadonlyMap<string, unknown>): string[] => [
  ...new Set([...members.map(({ name }) => name), ...lanes.keys()]),
];

function startsBy(starts: readonly StartRow[]): Map<string, StartRow[]> {
  const by = new Map<string, StartRow[]>();
  for (const start of starts) by.set(start.member, [...(by.get(start.member) ?? []), start]);
  return by;
}
