/**
 * The timeline of a run as SVG: a row for each task that was claimed, a bar for each claim, a mark for each restart.
 */
import { duration, type TeamExport } from '../../../app.ts';
import { markup, NOTHING, type Html } from './html.ts';

const WIDTH = 1_000;
const LABEL = 260;
const ROW = 18;
const TOP = 22;
const TICKS = 5;
const LABEL_CHARACTERS = 40;

export function timelineOf({ timeline, tasks }: TeamExport): Html {
  const { from, to, spans, critical } = timeline;
  const worked = tasks.filter(({ id }) => spans.some(({ task }) => task === id));
  if (worked.length === 0) return markup`<p class="faint">No task was claimed.</p>`;
  const rows = new Map(worked.map(({ id }, index) => [id, TOP + index * ROW]));
  const place = scale(from, to);
  const height = TOP + worked.length * ROW + 6;
  const isCritical = new Set(critical.tasks);
  return markup`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Timeline of the tasks">
    ${ticks(from, to, height)}
    ${worked.map(({ id, subject }) => label(id, subject, rows.get(id) ?? 0, isCritical.has(id)))}
    ${spans.flatMap((span) => bar(span, rows.get(span.task), place, to))}
    ${timeline.starts.filter(({ life }) => life > 1).map(({ at, member, life }) => restart(place(at), member, life, height))}
  </svg>`;
}

/** Converts a time in milliseconds to a column of the drawing. */
const scale =
  (from: number, to: number) =>
  (at: number): number =>
    Math.round(LABEL + ((at - from) / Math.max(1, to - from)) * (WIDTH - LABEL - 4));

function ticks(from: number, to: number, height: number): Html[] {
  const place = scale(from, to);
  return Array.from({ length: TICKS + 1 }, (_, index) => {
    const at = from + ((to - from) * index) / TICKS;
    const x = place(at);
    const anchor = index === TICKS ? 'end' : 'start';
    return markup`<line class="tick" x1="${x}" y1="14" x2="${x}" y2="${height}" /><text class="tick" x="${x}" y="11" text-anchor="${anchor}">${duration(at - from)}</text>`;
  });
}

function label(id: string, subject: string, y: number, isCritical: boolean): Html {
  const text = `#${id} ${subject}`;
  const shown = text.length > LABEL_CHARACTERS ? `${text.slice(0, LABEL_CHARACTERS - 1)}…` : text;
  return markup`<a href="#task-${id}"><text class="${isCritical ? 'critical' : ''}" x="0" y="${y + 12}">${shown}</text></a>`;
}

type Span = TeamExport['timeline']['spans'][number];

function bar(span: Span, y: number | undefined, place: (at: number) => number, until: number): Html[] {
  if (y === undefined) return [];
  const { from, to = until, end = 'running', member, claim } = span;
  const [x, width] = [place(from), Math.max(2, place(to) - place(from))];
  const told = `${member}, attempt ${claim}: ${end} after ${duration(to - from)}`;
  return [
    markup`<rect class="${end}" x="${x}" y="${y + 2}" width="${width}" height="${ROW - 5}"><title>${told}</title></rect>`,
  ];
}

const restart = (x: number, member: string, life: number, height: number): Html =>
  life > 1
    ? markup`<line class="restart" x1="${x}" y1="14" x2="${x}" y2="${height}"><title>${member} was restarted (life ${life})</title></line>`
    : NOTHING;
