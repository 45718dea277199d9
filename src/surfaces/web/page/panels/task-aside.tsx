/** Details of one task, beside the view. */
import type { JSX } from 'preact';
import type { TaskDetail, TaskRow } from '../../wire-types.ts';
import { useAnswer } from '../use-answer.ts';
import { RequestForm, TaskActions } from '../compose.tsx';
import { Changes } from './changes-view.tsx';
import { OutputLines } from './output-lines.tsx';
import { useNow } from '../use-now.ts';
import { usePageNavigation } from '../navigation.ts';
import { Figure, FileLinks, MemberName, spentText, Status, TaskNumber } from './labels.tsx';
import type { PageModel } from '../page-model.ts';
import { dayAndTime, duration, whole } from '../formats.ts';
import { Why } from './why-view.tsx';

export function TaskAside({ id, scene }: { id: string; scene: PageModel }): JSX.Element {
  const { team } = usePageNavigation();
  const row = scene.tasks.get(id);
  const sight = useAnswer<TaskDetail>(team, `tasks/${encodeURIComponent(id)}`, row);
  const asked = scene.problems.find(({ request, task }) => request !== undefined && task === id);
  return (
    <>
      <h2>
        <span class="said">
          #{id} {row?.subject}
        </span>
      </h2>
      {row !== undefined && <Facts row={row} scene={scene} />}
      {asked !== undefined && (
        <>
          <p class="said">{asked.text}</p>
          {asked.request?.kind === 'review' && <Changes task={id} mark={asked.request.id} />}
          <RequestForm problem={asked} />
        </>
      )}
      {row !== undefined && <TaskActions row={row} />}
      <Why subject={id} mark={row} />
      {row?.isBegun === true && (
        <>
          <h3>Output</h3>
          <OutputLines
            subject={{ kind: 'task', id }}
            isStill={scene.isOver || (row.column !== 'in_progress' && row.column !== 'ready')}
          />
        </>
      )}
      {sight.kind === 'failed' && <p class="outcome outcome-bad">{sight.why}</p>}
      {sight.kind === 'there' && (
        <>
          <Text title="Task" text={sight.value.description} />
          <Text title="Result" text={sight.value.result ?? ''} />
          <h3>History</h3>
          <ol class="history">
            {sight.value.history.map(({ at, type, by }, index) => (
              <li key={index}>
                <Figure file="board/log.jsonl" what={`task ${id} ${type.replace('task.', '')}`}>
                  <time>{dayAndTime(Date.parse(at))}</time>
                </Figure>{' '}
                {type.replace('task.', '')} <span class="note said">by {by}</span>
              </li>
            ))}
          </ol>
          <h3>Files</h3>
          <FileLinks files={sight.value.files} />
        </>
      )}
    </>
  );
}

function workedOn(id: string, { spans }: PageModel, now: number): number {
  const own = [...spans.values()].filter(({ task }) => task === id);
  return own.reduce((sum, { from, to }) => sum + (to ?? now) - from, 0);
}

function Facts({ row, scene }: { row: TaskRow; scene: PageModel }): JSX.Element {
  const now = useNow(scene);
  return (
    <dl class="facts">
      <dt>Status</dt>
      <dd>
        <Status column={row.column} /> <span class="said">{row.reason}</span>
      </dd>
      <dt>{row.column === 'ready' || row.column === 'blocked' ? 'For' : 'By'}</dt>
      <dd>
        {row.member === null ? (
          <span class="said">{row.role ?? 'anyone'}</span>
        ) : (
          <MemberName name={row.member} members={scene.members} />
        )}
      </dd>
      {row.blockedBy.length > 0 && (
        <>
          <dt>After</dt>
          <dd>
            {row.blockedBy.map((id) => (
              <TaskNumber key={id} id={id} />
            ))}
          </dd>
        </>
      )}
      {row.attempts > 0 && (
        <>
          <dt>Attempts</dt>
          <dd>
            <Figure file="board/log.jsonl" what={`attempts of task ${row.id}`}>
              {whole(row.attempts)}, {duration(workedOn(row.id, scene, now))} worked
            </Figure>
          </dd>
        </>
      )}
      {row.spent !== null && (
        <>
          <dt>Spent</dt>
          <dd>
            <Figure file="team/events.jsonl" what={`spent on task ${row.id}`}>
              {spentText(row.spent)}
            </Figure>
          </dd>
        </>
      )}
    </dl>
  );
}

function Text({ title, text }: { title: string; text: string }): JSX.Element | null {
  if (text === '') return null;
  return (
    <>
      <h3>{title}</h3>
      <pre class="text said" tabIndex={0}>
        {text}
      </pre>
    </>
  );
}
