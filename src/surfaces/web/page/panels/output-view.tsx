/** What the agents print, live: a list of what works and what failed, and the output of the chosen one. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { MemberRow, TaskRow } from '../../wire-types.ts';
import type { PageModel } from '../page-model.ts';
import type { OutputSubject } from '../use-output.ts';
import { useNow } from '../use-now.ts';
import { duration } from '../formats.ts';
import { OutputLines } from './output-lines.tsx';
import { TaskActions } from '../compose.tsx';
import { Status } from './labels.tsx';

/** Ended tasks that are offered. */
const ENDED = 30;

export function OutputView({ scene }: { scene: PageModel }): JSX.Element {
  const now = useNow(scene);
  const [chosen, setChosen] = useState<OutputSubject | undefined>(undefined);
  const tasks = useMemo(() => offered(scene.tasks.values()), [scene.version]);
  const first = tasks[0];
  const subject: OutputSubject | undefined =
    chosen ??
    (first === undefined
      ? scene.members[0] && { kind: 'member', id: scene.members[0].name }
      : { kind: 'task', id: first.id });
  const isChosen = (kind: string, id: string): boolean => subject?.kind === kind && subject.id === id;
  const row = subject?.kind === 'task' ? scene.tasks.get(subject.id) : undefined;
  return (
    <section class="view output-view" aria-label="Output">
      <div class="output-list">
        <h2>Tasks</h2>
        {tasks.length === 0 && <p class="empty">No task has begun.</p>}
        <ul>
          {tasks.map((task) => (
            <li key={task.id}>
              <button
                type="button"
                class="output-row"
                aria-current={isChosen('task', task.id)}
                onClick={() => setChosen({ kind: 'task', id: task.id })}
              >
                <Status column={task.column} />
                <span class="cut">
                  #{task.id} {task.subject}
                </span>
                <span class="note">
                  {task.member} {task.column === 'in_progress' ? duration(scene.heldMs(task, now)) : ''}
                </span>
              </button>
            </li>
          ))}
        </ul>
        <h2>Members</h2>
        <ul>
          {scene.members.map((member) => (
            <li key={member.name}>
              <MemberChoice
                member={member}
                isChosen={isChosen('member', member.name)}
                onPick={() => setChosen({ kind: 'member', id: member.name })}
              />
            </li>
          ))}
        </ul>
      </div>
      <div class="output-side">
        {row !== undefined && (
          <>
            <h2 class="said">
              #{row.id} {row.subject}
            </h2>
            {row.reason !== null && <p class="said reason">{row.reason}</p>}
            <TaskActions row={row} />
          </>
        )}
        {subject?.kind === 'member' && <h2 class="said">{subject.id}</h2>}
        {subject !== undefined && (
          <OutputLines key={`${subject.kind} ${subject.id}`} subject={subject} isStill={scene.isOver} />
        )}
      </div>
    </section>
  );
}

function MemberChoice({
  member: { name, state },
  isChosen,
  onPick,
}: {
  member: MemberRow;
  isChosen: boolean;
  onPick: () => void;
}): JSX.Element {
  return (
    <button type="button" class="output-row" aria-current={isChosen} onClick={onPick}>
      <span class={`state state-${state}`}>{state}</span>
      <span class="cut">{name}</span>
    </button>
  );
}

/** What failed, what works, then what ended last. */
function offered(tasks: Iterable<TaskRow>): TaskRow[] {
  const all = [...tasks].filter(({ isBegun }) => isBegun);
  const of = (column: TaskRow['column']): TaskRow[] => all.filter((row) => row.column === column);
  const ended = all.filter(({ column }) => column !== 'failed' && column !== 'in_progress');
  return [...of('failed'), ...of('in_progress'), ...ended.sort((a, b) => b.since - a.since).slice(0, ENDED)];
}
