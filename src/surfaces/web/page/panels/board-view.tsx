/** The board: one column for each status, each a list of any length. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { COLUMN_ORDER, type WebColumn, type TaskRow } from '../../wire-types.ts';
import { useNow } from '../use-now.ts';
import { usePageNavigation } from '../navigation.ts';
import { Figure } from './labels.tsx';
import type { PageModel } from '../page-model.ts';
import { Windowed } from './windowed.tsx';
import { COLUMN_NAMES, duration, whole } from '../formats.ts';

/** Columns that are always shown; the others are shown when they have tasks. */
const ALWAYS: readonly WebColumn[] = ['blocked', 'ready', 'in_progress', 'completed'];
const CARD = 70;

export function BoardView({ scene }: { scene: PageModel }): JSX.Element {
  const now = useNow(scene);
  const held = (task: TaskRow): number => scene.heldMs(task, now);
  const [words, setWords] = useState('');
  const columns = useMemo(() => columnsOf(scene.tasks.values(), words), [scene.version, words]);
  const colors = useMemo(() => new Map(scene.members.map(({ name, color }) => [name, color])), [scene.members]);
  const shown = COLUMN_ORDER.filter((column) => ALWAYS.includes(column) || (columns.get(column)?.length ?? 0) > 0);
  return (
    <section class="view board-view" aria-label="Board">
      <div class="tools">
        <input
          type="search"
          data-search
          placeholder="Find a task, member or role"
          aria-label="Find a task, member or role"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </div>
      <div class="columns">
        {shown.map((column) => (
          <BoardColumn key={column} column={column} tasks={columns.get(column) ?? []} held={held} colors={colors} />
        ))}
      </div>
    </section>
  );
}

interface ColumnProps {
  readonly column: WebColumn;
  readonly tasks: readonly TaskRow[];
  /** How long a task in progress is held, in milliseconds. */
  readonly held: (task: TaskRow) => number;
  /** Member → the index of its colour. */
  readonly colors: ReadonlyMap<string, number>;
}

function BoardColumn({ column, tasks, held, colors }: ColumnProps): JSX.Element {
  const name = COLUMN_NAMES[column] ?? column;
  return (
    <div class={`column column-${column}${tasks.length === 0 ? ' column-none' : ''}`}>
      <h2>
        <i aria-hidden="true" />
        {name}{' '}
        <Figure file="board/log.jsonl" what={`tasks in ${name}`}>
          {whole(tasks.length)}
        </Figure>
      </h2>
      <Windowed
        label={`${name} tasks`}
        count={tasks.length}
        height={CARD}
        empty="None"
        row={(index) => {
          const task = tasks[index];
          return task && <Card task={task} held={held} color={colors.get(task.member ?? '')} />;
        }}
      />
    </div>
  );
}

function Card({
  task,
  held,
  color,
}: Pick<ColumnProps, 'held'> & { task: TaskRow; color: number | undefined }): JSX.Element {
  const { show } = usePageNavigation();
  const foot = footOf(task, held);
  return (
    <button type="button" class="card" onClick={() => show({ kind: 'task', id: task.id })}>
      <span class="card-subject">
        <b>#{task.id}</b> {task.subject}
      </span>
      <span class="card-foot">
        <span class="card-who">
          {color !== undefined && <i class={`dot dot-${color % 5}`} aria-hidden="true" />}
          {task.member ?? task.role ?? 'anyone'}
        </span>
        {foot !== '' && <span>{foot}</span>}
      </span>
    </button>
  );
}

function footOf(task: TaskRow, held: ColumnProps['held']): string {
  const { column, asks, waitsFor, attempts, reason } = task;
  if (asks) return 'waits for an answer';
  if (column === 'blocked') return `waits for ${idsOf(waitsFor)}`;
  if (column === 'in_progress') return duration(held(task)) + (attempts > 0 ? ` · attempt ${attempts + 1}` : '');
  return reason ?? (attempts > 0 ? `attempt ${attempts + 1}` : '');
}

const idsOf = (ids: readonly string[]): string =>
  ids.length > 3 ? `${ids.length} tasks` : ids.map((id) => `#${id}`).join(' ');

function columnsOf(tasks: Iterable<TaskRow>, words: string): Map<WebColumn, TaskRow[]> {
  const wanted = words.trim().toLowerCase();
  const columns = new Map<WebColumn, TaskRow[]>();
  for (const task of tasks) {
    const text = `#${task.id} ${task.subject} ${task.member ?? ''} ${task.role ?? ''}`;
    if (wanted !== '' && !text.toLowerCase().includes(wanted)) continue;
    const column = columns.get(task.column) ?? [];
    columns.set(task.column, column);
    column.push(task);
  }
  // Ended tasks: the latest first. Tasks to come: by id.
  for (const [column, list] of columns)
    if (column !== 'blocked' && column !== 'ready')
      list.sort((a, b) => b.since - a.since || Number(b.id) - Number(a.id));
    else list.sort((a, b) => Number(a.id) - Number(b.id));
  return columns;
}
