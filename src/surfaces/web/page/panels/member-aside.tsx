/** Details of one member, beside the view. */
import type { JSX } from 'preact';
import { SendForm, StopMember } from '../compose.tsx';
import { OutputLines } from './output-lines.tsx';
import { Figure, FileLinks, spentText, TaskNumber } from './labels.tsx';
import type { PageModel } from '../page-model.ts';
import { Why } from './why-view.tsx';
import { duration, plural } from '../formats.ts';

export function MemberAside({ name, scene }: { name: string; scene: PageModel }): JSX.Element {
  const member = scene.members.find((one) => one.name === name);
  const { task = null, spent = null, pid = null, place = null } = member ?? {};
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
        <span class="said">{name}</span> <span class="note said">{member?.role}</span>
      </h2>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <span class={`state state-${member?.state ?? 'unknown'}`}>{member?.state ?? 'no member'}</span>{' '}
          {task === null && <span class="said">{member?.reason}</span>}
        </dd>
        {task !== null && (
          <>
            <dt>Task</dt>
            <dd>
              <TaskNumber id={task} /> <span class="said">{scene.tasks.get(task)?.subject}</span>
            </dd>
          </>
        )}
        <dt>Worked</dt>
        <dd>
          <Figure file="board/log.jsonl" what={`worked by ${name}`}>
            {duration(worked)} on {plural(new Set(spans.map(({ task }) => task)).size, 'task')}
            {restarts > 0 && `, ${plural(restarts, 'restart')}`}
          </Figure>
        </dd>
        {spent !== null && (
          <>
            <dt>Spent</dt>
            <dd>
              <Figure file="team/events.jsonl" what={`spent by ${name}`}>
                {spentText(spent)}
              </Figure>
            </dd>
          </>
        )}
        {place !== null && (
          <>
            <dt>Runs</dt>
            <dd class="said">{place}</dd>
          </>
        )}
        {pid !== null && (
          <>
            <dt>Process</dt>
            <dd>
              <Figure file={`team/processes/${name}.json`} what={`process of ${name}`}>
                {pid}
              </Figure>
            </dd>
          </>
        )}
      </dl>
      {name !== 'lead' && <Why subject={name} mark={member} />}
      {name !== 'lead' && <SendForm to={name} names={[]} />}
      {name !== 'lead' && <StopMember name={name} />}
      {member !== undefined && (
        <>
          <h3>Output</h3>
          <OutputLines subject={{ kind: 'member', id: name }} isStill={scene.isOver} />
        </>
      )}
      <h3>Files</h3>
      <FileLinks files={files} />
    </>
  );
}
