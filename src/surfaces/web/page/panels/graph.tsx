/** What waits for what: tasks in steps from left to right, with the critical path. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { usePageNavigation } from '../navigation.ts';
import { layoutOf, LINE, NODE, type GraphLayout, type GraphLine, type PlacedTask } from '../graph-layout.ts';
import type { PageModel } from '../page-model.ts';
import type { WebColumn } from '../../wire-types.ts';
import { COLUMN_NAMES, plural, whole } from '../formats.ts';
import { Figure } from './labels.tsx';

/** A sign for each status, so that colour is not needed. */
const SIGNS: Readonly<Record<WebColumn, string>> = {
  completed: '✓',
  failed: '✗',
  in_progress: '▶',
  landing: '⇣',
  ready: '○',
  blocked: '…',
  skipped: '–',
  cancelled: '–',
};

export function GraphView({ scene }: { scene: PageModel }): JSX.Element {
  const layout = useMemo(() => layoutOf(scene.tasks, scene.path.tasks), [scene.version]);
  const used = [...new Set(layout.tasks.map(({ row }) => row.column))];
  return (
    <section class="view graph-view" aria-label="Graph">
      <p class="lead-line">
        <Figure file="board/log.jsonl" what="tasks in the graph">
          {plural(layout.tasks.length, 'task')}
        </Figure>
        {layout.hidden > 0 && (
          <>
            ,{' '}
            <Figure file="board/log.jsonl" what="tasks that are left out">
              {whole(layout.hidden)} left out
            </Figure>
            <span class="note"> Shown are what failed, what works, the critical path, and what is next to them.</span>
          </>
        )}
        <span class="legend">
          {used.map((column) => (
            <span key={column} class={`legend-${column}`}>
              <b aria-hidden="true">{SIGNS[column]}</b> {COLUMN_NAMES[column]}
            </span>
          ))}
          <span>
            <b class="critical-sign" aria-hidden="true">
              ━
            </b>{' '}
            Critical path
          </span>
        </span>
      </p>
      {layout.tasks.length === 0 ? (
        <p class="empty">There is no task yet.</p>
      ) : (
        <Drawing layout={layout} path={scene.path.tasks} />
      )}
    </section>
  );
}

function Drawing({ layout, path }: { layout: GraphLayout; path: readonly string[] }): JSX.Element {
  const critical = new Set(path);
  return (
    <div class="graph-box" tabIndex={0} role="region" aria-label="Graph of tasks">
      <svg width={layout.width + 4} height={layout.height + 4} role="group" aria-label="What waits for what">
        <g aria-hidden="true" transform="translate(2 2)">
          {layout.lines.map((line) => (
            <path
              key={`${line.from.row.id} ${line.to.row.id}`}
              class={line.isCritical ? 'edge edge-critical' : 'edge'}
              d={curve(line)}
            />
          ))}
        </g>
        <g transform="translate(2 2)">
          {layout.tasks.map((task) => (
            <TaskBox key={task.row.id} task={task} isCritical={critical.has(task.row.id)} />
          ))}
        </g>
      </svg>
    </div>
  );
}

/** Bends between columns, and straight where it passes one. */
function curve({ from, to, passed }: GraphLine): string {
  let [x, y] = [from.x + NODE.width, from.y + NODE.height / 2];
  let drawn = `M${x},${y}`;
  const bendTo = (x2: number, y2: number): void => {
    const middle = (x + x2) / 2;
    drawn += ` C${middle},${y} ${middle},${y2} ${x2},${y2}`;
  };
  for (const place of passed) {
    bendTo(place.x, place.y + LINE / 2);
    [x, y] = [place.x + NODE.width, place.y + LINE / 2];
    drawn += ` H${x}`;
  }
  bendTo(to.x, to.y + NODE.height / 2);
  return drawn;
}

/** Left and right of the text. */
const PADDING = 10;
/** The size of a title in the style sheet. */
const TITLE_PX = 12;

const measuring = document.createElement('canvas').getContext('2d');

/** As much of a title as fits beside its sign and number, measured in the page's font. */
function shortened(title: string, before: string): string {
  if (measuring === null) return title;
  measuring.font = `${TITLE_PX}px ${getComputedStyle(document.body).fontFamily}`;
  const fits = (text: string): boolean => measuring.measureText(before + text).width <= NODE.width - 2 * PADDING;
  const letters = Array.from(title.slice(0, MOST_LETTERS));
  if (letters.length === title.length && fits(title)) return title;
  const textOf = (count: number): string => `${letters.slice(0, count).join('').trimEnd()}…`;
  let [least, most] = [0, letters.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(textOf(middle))) least = middle;
    else most = middle - 1;
  }
  return textOf(least);
}

/** Of a title; no box holds more. */
const MOST_LETTERS = 100;

function TaskBox({ task: { row, x, y }, isCritical }: { task: PlacedTask; isCritical: boolean }): JSX.Element {
  const { show } = usePageNavigation();
  const { id, subject, column, member } = row;
  const sign = `${SIGNS[column]} #${id} `;
  // To measure makes the browser lay out what is drawn: not at each update of the team.
  const title = useMemo(() => shortened(subject, sign), [subject, sign]);
  const open = (): void => show({ kind: 'task', id });
  return (
    <g
      class={`task-box task-${column}${isCritical ? ' task-critical' : ''}`}
      role="button"
      tabIndex={0}
      transform={`translate(${x} ${y})`}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        open();
      }}
    >
      <rect width={NODE.width} height={NODE.height} rx={6} />
      <title>{subject}</title>
      <svg x={PADDING} width={NODE.width - 2 * PADDING} height={NODE.height}>
        <text y={17}>
          <tspan class="task-sign">{SIGNS[column]}</tspan> #{id} {title}
        </text>
        <text y={32} class="task-who">
          {member ?? ''}
        </text>
      </svg>
    </g>
  );
}
