/** One member, beside the view. */
import type { JSX } from 'preact';
import { SendForm } from './compose.tsx';
import { useGoing } from './go.ts';
import { spentText, TaskNumber } from './marks.tsx';
import type { Scene } from './scene.ts';
import { Why } from './why.tsx';
import { duration, plural } from './words.ts';

export function MemberAside({ name, scene }: { name: string; scene: Scene }): JSX.Element {
  const { show } = useGoing();
  const member = scene.members.find((one) => one.name === name);
  const { task = null, spent = null, pid = null } = member ?? {};
  const files = [
    `team/logs/${name}.log`,
    `team/${name}_inbox.jsonl`,
    `team/${name}_history.jsonl`,
    `team/processes/${name}.json`,
  ];
  const spans = [...scene.spans.values()].filter((span) => span.member === name);
  const worked = spans.reduce((sum, { from, to }) => sum + (to ?? scene.head?.now ?? from) - from, 0);
  const restarts = scene.starts.filter((start) => start.member === name && start.life > 1).length;
  return (
    <>
      <h2>
        {name} <span class="note">{member?.role}</span>
      </h2>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <span class={`state state-${member?.state ?? 'unknown'}`}>{member?.state ?? 'no member'}</span>{' '}
          {member?.reason}
        </dd>
        {task !== null && (
          <>
            <dt>Task</dt>
            <dd>
              <TaskNumber id={task} /> {scene.tasks.get(task)?.subject}
            </dd>
          </>
        )}
        <dt>Worked</dt>
        <dd>
          {duration(worked)} on {plural(new Set(spans.map(({ task }) => task)).size, 'task')}
          {restarts > 0 && `, ${plural(restarts, 'restart')}`}
        </dd>
        {spent !== null && (
          <>
            <dt>Spent</dt>
            <dd>{spentText(spent)}</dd>
          </>
        )}
        {pid !== null && (
          <>
            <dt>Process</dt>
            <dd>{pid}</dd>
          </>
        )}
      </dl>
      {name !== 'lead' && <Why subject={name} mark={member} />}
      {name !== 'lead' && <SendForm to={name} names={[]} />}
      <h3>Files</h3>
      <ul class="files">
        {files.map((file) => (
          <li key={file}>
            <button type="button" class="link" onClick={() => show({ is: 'file', id: file })}>
              {file}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
