/** The first view of a team: what needs a person, progress, and who does what. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { MemberRow, TeamProblem } from '../../wire-types.ts';
import { Chart } from './chart.tsx';
import { useNow } from '../use-now.ts';
import { RequestForm } from '../compose.tsx';
import { criticalMs } from '../critical.ts';
import { usePageNavigation } from '../navigation.ts';
import { Figure, MemberName, spentText, TaskNumber } from './labels.tsx';
import type { PageModel } from '../page-model.ts';
import { throughputOf, type ThroughputBucket } from '../throughput.ts';
import { duration, money, rate, time, tokens, whole } from '../formats.ts';

export function OverviewView({ scene }: { scene: PageModel }): JSX.Element {
  const now = useNow(scene.isOver);
  return (
    <section class="view overview-view" aria-label="Overview">
      <Problems problems={scene.problems} now={now} />
      <Tiles scene={scene} now={now} />
      <h2>Members</h2>
      <Members scene={scene} />
      <Throughput scene={scene} now={now} />
    </section>
  );
}

function Problems({ problems, now }: { problems: readonly TeamProblem[]; now: number }): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <div class="problems">
      <h2>
        Needs you{' '}
        <Figure file="board/log.jsonl" what="what needs you">
          {problems.length}
        </Figure>
      </h2>
      <ul>
        {problems.slice(0, 50).map((problem, index) => (
          <li key={`${problem.kind} ${problem.subject} ${index}`} class={`problem problem-${problem.kind}`}>
            <div class="problem-head">
              <span class="problem-kind">{problem.kind}</span>
              <SubjectOf problem={problem} />
              {problem.since !== undefined && (
                <Figure file="board/log.jsonl" what="waiting time">
                  {duration(now - Date.parse(problem.since))}
                </Figure>
              )}
            </div>
            <p class="said">{problem.text}</p>
            <RequestForm problem={problem} />
          </li>
        ))}
      </ul>
      {problems.length > 50 && (
        <p class="note">
          <Figure file="board/log.jsonl" what="more that needs you">
            and {problems.length - 50} more
          </Figure>
        </p>
      )}
    </div>
  );
}

function SubjectOf({ problem }: { problem: TeamProblem }): JSX.Element {
  const { show } = usePageNavigation();
  const { member, task } = problem;
  if (member === undefined)
    return task === undefined ? <span class="said">{problem.subject}</span> : <TaskNumber id={task} />;
  return (
    <>
      <button type="button" class="member-name" onClick={() => show({ kind: 'member', id: member })}>
        {member}
      </button>
      {task !== undefined && <TaskNumber id={task} />}
    </>
  );
}

function Tiles({ scene, now }: { scene: PageModel; now: number }): JSX.Element {
  const { head } = scene;
  const counts = head?.counts ?? { total: 0, blocked: 0 };
  const messages = scene.edges.reduce((sum, { count }) => sum + count, 0);
  return (
    <dl class="tiles">
      <Tile name="Done" file="board/log.jsonl" value={`${whole(counts['completed'] ?? 0)} / ${whole(counts.total)}`} />
      <Tile name="In progress" file="board/log.jsonl" value={whole(counts['in_progress'] ?? 0)} />
      <Tile name="Failed" file="board/log.jsonl" value={whole(counts['failed'] ?? 0)} />
      <Tile name="Elapsed" file="board/log.jsonl" value={duration(elapsedOf(scene, now))} />
      <Tile name="Critical path" file="board/log.jsonl" value={duration(criticalMs(scene, now))} />
      <Tile name="Messages" file="team/events.jsonl" value={whole(messages)} />
      <Tile name="Tokens" file="team/events.jsonl" value={tokens(head?.spent.tokens ?? 0)} />
      <Tile name="Cost" file="team/events.jsonl" value={money(head?.spent.usd ?? 0)} />
    </dl>
  );
}

function Tile({ name, value, file }: { name: string; value: string; file: string }): JSX.Element {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>
        <Figure file={file} what={name}>
          {value}
        </Figure>
      </dd>
    </div>
  );
}

function Members({ scene }: { scene: PageModel }): JSX.Element {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Members">
      <table class="members">
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">State</th>
            <th scope="col">Task</th>
            <th scope="col" class="number">
              Unread
            </th>
            <th scope="col" class="number">
              Spent
            </th>
            <th scope="col">Last words</th>
          </tr>
        </thead>
        <tbody>
          {scene.members.map((member) => (
            <MemberLine key={member.name} member={member} scene={scene} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function MemberLine({ member, scene }: { member: MemberRow; scene: PageModel }): JSX.Element {
  const { name, role, state, reason, task, unread, spent, words } = member;
  const subject = task === null ? '' : (scene.tasks.get(task)?.subject ?? '');
  return (
    <tr>
      <th scope="row">
        <MemberName name={name} members={scene.members} />
        <span class="note said"> {role}</span>
      </th>
      <td>
        <span class={`state state-${state}`} title={reason}>
          {state}
        </span>
      </td>
      <td class="wide">
        {task === null ? <span class="note said">{reason}</span> : <TaskNumber id={task} />}{' '}
        <span class="said">{subject}</span>
      </td>
      <td class="number">
        <Figure file={`team/${name}_inbox.jsonl`} what={`unread mail of ${name}`}>
          {whole(unread)}
        </Figure>
      </td>
      <td class="number">
        {spent !== null && (
          <Figure file="team/events.jsonl" what={`spent by ${name}`}>
            {spentText(spent)}
          </Figure>
        )}
      </td>
      <td class="wide words said">{words}</td>
    </tr>
  );
}

function Throughput({ scene, now }: { scene: PageModel; now: number }): JSX.Element {
  const data = useMemo(() => throughputOf(scene.spans.values(), scene.head), [scene.version]);
  const done = data.reduce((sum, { ended }) => sum + ended, 0);
  return (
    <>
      <h2>
        Throughput{' '}
        {done > 0 && (
          <Figure file="board/log.jsonl" what="tasks completed in a minute">
            {rate(done, elapsedOf(scene, now))} a minute
          </Figure>
        )}
      </h2>
      {done === 0 ? <p class="empty">No task has ended yet.</p> : <ThroughputChart data={data} />}
    </>
  );
}

function ThroughputChart({ data }: { data: readonly ThroughputBucket[] }): JSX.Element {
  const [first, last] = [data[0], data.at(-1)];
  const label = `Tasks ended over time, ${time(first?.at ?? 0)} to ${time(last?.at ?? 0)}; the most in one part: ${Math.max(...data.map(({ ended }) => ended))}`;
  return <Chart label={label} times={data.map(({ at }) => at)} values={data.map(({ ended }) => ended)} name="tasks" />;
}

function elapsedOf({ head, isOver }: PageModel, now: number): number {
  const began = head?.firstAt ?? null;
  return began === null ? 0 : (isOver ? (head?.lastAt ?? began) : now) - began;
}
