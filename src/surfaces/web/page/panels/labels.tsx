/** Small components of all views: a figure with its source, a member's name, a status, a task's number. */
import type { ComponentChildren, JSX } from 'preact';
import type { MemberRow, Spent } from '../../wire-types.ts';
import { usePageNavigation } from '../navigation.ts';
import { COLUMN_NAMES, cost, tokens } from '../formats.ts';

/** A figure that names its source file and opens it. */
export function Figure({
  file,
  children,
  what,
}: {
  file: string;
  what: string;
  children: ComponentChildren;
}): JSX.Element {
  const { show } = usePageNavigation();
  return (
    <button
      type="button"
      class="figure"
      title={`${what}: from ${file}`}
      onClick={() => show({ kind: 'file', id: file })}
    >
      {children}
      <span class="unseen">
        {' '}
        {what}, open {file}
      </span>
    </button>
  );
}

/** A list of files; each opens on click. */
export function FileLinks({ files }: { files: readonly string[] }): JSX.Element {
  const { show } = usePageNavigation();
  return (
    <ul class="files">
      {files.map((file) => (
        <li key={file}>
          <button type="button" class="link" onClick={() => show({ kind: 'file', id: file })}>
            {file}
          </button>
        </li>
      ))}
    </ul>
  );
}

export function Status({ column }: { column: string }): JSX.Element {
  return (
    <span class={`status status-${column}`}>
      <i aria-hidden="true" />
      {COLUMN_NAMES[column] ?? column}
    </span>
  );
}

export function MemberName({ name, members }: { name: string; members: readonly MemberRow[] }): JSX.Element {
  const { show } = usePageNavigation();
  const color = members.find((one) => one.name === name)?.color;
  return (
    <button type="button" class="member-name" onClick={() => show({ kind: 'member', id: name })}>
      <i class={color === undefined ? 'dot' : `dot dot-${color % 5}`} aria-hidden="true" />
      {name}
    </button>
  );
}

/** A task's number, which opens the task. */
export function TaskNumber({ id }: { id: string }): JSX.Element {
  const { show } = usePageNavigation();
  return (
    <button type="button" class="task-number" onClick={() => show({ kind: 'task', id })}>
      #{id}
    </button>
  );
}

export const spentText = (spent: Spent): string => `${tokens(spent.tokens)} tokens · ${cost(spent)}`;
