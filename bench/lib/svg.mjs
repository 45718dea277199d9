/** Draws lines in a coordinate system, and goals as bars, as self-contained files for light and dark pages. */
import { short } from './figures.mjs';

const [WIDTH, HEIGHT] = [720, 400];
const EDGE = { left: 64, right: 190, top: 58, bottom: 48 };
const COLORS = ['#2563eb', '#dc2626', '#d97706', '#059669', '#7c3aed', '#64748b'];
const STYLE = `text{font:12px system-ui,sans-serif;fill:#475569}.title{font-size:15px;font-weight:600;fill:#0f172a}
.grid{stroke:#cbd5e1;stroke-width:1}@media(prefers-color-scheme:dark){text{fill:#94a3b8}.title{fill:#f1f5f9}.grid{stroke:#334155}}`;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Maps values to positions between two edges, logarithmically or from zero. */
function scale(values, isLog, from, to) {
  const grow = isLog ? Math.log10 : (value) => value;
  const low = isLog ? 10 ** Math.floor(Math.log10(Math.min(...values))) : 0;
  const high = isLog ? Math.max(...values) * 1.2 : Math.max(...values) * 1.1 || 1;
  const place = (value) => from + ((grow(value) - grow(low)) / (grow(high) - grow(low))) * (to - from);
  const step = niceStep(high / 5);
  const tens = Array.from({ length: 12 }, (_, n) => low * 10 ** n).filter((tick) => tick <= high);
  return { place, ticks: isLog ? tens : Array.from({ length: Math.floor(high / step) + 1 }, (_, n) => step * n) };
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(atLeast) {
  const ten = 10 ** Math.floor(Math.log10(atLeast));
  return ten * ([1, 2, 5].find((factor) => factor * ten >= atLeast) ?? 10);
}

const line = (x1, y1, x2, y2) =>
  `<line class="grid" x1="${x1}" y1="${y1.toFixed(1)}" x2="${x2}" y2="${y2.toFixed(1)}"/>`;
const text = (x, y, words, more = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${more && ` ${more}`}>${escaped(words)}</text>`;

/** @param {{title: string, x: string, y: string, logX?: boolean, logY?: boolean, lines: {name: string, points: number[][]}[]}} curve */
export function draw({ title, x, y, logX = false, logY = false, lines }) {
  const points = lines.flatMap((one) => one.points);
  const [right, bottom] = [WIDTH - EDGE.right, HEIGHT - EDGE.bottom];
  const across = scale(
    points.map(([value]) => value),
    logX,
    EDGE.left,
    right,
  );
  const up = scale(
    points.map(([, value]) => value),
    logY,
    bottom,
    EDGE.top,
  );
  const marks = logX ? [...new Set(points.map(([value]) => value))] : across.ticks;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"><style>${STYLE}</style>`,
    text(EDGE.left, 24, title, 'class="title"'),
    ...up.ticks.map(
      (tick) =>
        line(EDGE.left, up.place(tick), right, up.place(tick)) +
        text(EDGE.left - 6, up.place(tick) + 4, short(tick), 'text-anchor="end"'),
    ),
    ...marks.map((mark) => text(across.place(mark), bottom + 18, short(mark), 'text-anchor="middle"')),
    text((EDGE.left + right) / 2, HEIGHT - 10, x, 'text-anchor="middle"'),
    text(EDGE.left, EDGE.top - 10, y),
    ...lines.map((one, index) => drawLine(one, COLORS[index % COLORS.length], across, up, index)),
    '</svg>\n',
  ].join('\n');
}

function drawLine({ name, points }, color, across, up, index) {
  const places = points.map(([x, y]) => `${across.place(x).toFixed(1)},${up.place(y).toFixed(1)}`);
  const y = EDGE.top + 8 + index * 20;
  const dots = places.map(
    (place) => `<circle cx="${place.split(',')[0]}" cy="${place.split(',')[1]}" r="3" fill="${color}"/>`,
  );
  const legend = `<rect x="${WIDTH - EDGE.right + 12}" y="${y - 9}" width="10" height="10" fill="${color}"/>`;
  return `<polyline points="${places.join(' ')}" fill="none" stroke="${color}" stroke-width="${index === 0 ? 3.5 : 1.75}" stroke-linejoin="round"/>${dots.join('')}${legend}${text(WIDTH - EDGE.right + 28, y, name)}`;
}

const BAR = { height: 22, left: 330, right: 250, width: 960, top: 44 };
const STATES = { met: '#059669', short: '#dc2626', waived: '#d97706', skipped: '#94a3b8' };
/** A bar ends at ten times better or worse than its limit. */
const MOST = 10;

/** @param {{title: string, bars: {name: string, value?: number, state: keyof STATES, figure: string}[]}} chart a value of 1 is the limit */
export function drawGoals({ title, bars }) {
  const height = BAR.top + bars.length * BAR.height + 12;
  const [from, to] = [BAR.left, BAR.width - BAR.right];
  const middle = (from + to) / 2;
  const place = (value) => middle + (Math.log10(Math.min(MOST, Math.max(1 / MOST, value))) * (to - from)) / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${BAR.width} ${height}" role="img"><style>${STYLE}</style>`,
    text(10, 24, title, 'class="title"'),
    line(middle, BAR.top - 8, middle, height - 8),
    ...bars.flatMap(({ name, value, state, figure }, index) => {
      const y = BAR.top + index * BAR.height;
      const end = value === undefined ? middle : place(value);
      const [left, width] = [Math.min(middle, end), Math.max(2, Math.abs(end - middle))];
      return [
        text(BAR.left - 10, y + 12, name, 'text-anchor="end"'),
        `<rect x="${left.toFixed(1)}" y="${y + 2}" width="${width.toFixed(1)}" height="13" rx="2" fill="${STATES[state]}"/>`,
        text(BAR.width - BAR.right + 10, y + 12, figure),
      ];
    }),
    '</svg>\n',
  ].join('\n');
}
