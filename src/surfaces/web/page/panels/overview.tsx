/** The first view of a team: what needs a person, progress, and who does what. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { MemberRow, TeamProblem } from '../../wire-types.ts';
import { Chart } from './chart.tsx';
import { useNow } from '../use-now.ts';
import { AddTask, PauseTeam, RequestForm, RetryAll, TaskActions } from '../compose.tsx';
import { criticalMs } from '../critical.ts';
import { usePageNavigation } from '../navigation.ts';
import { Figure, MemberName, spentText, TaskNumber } from './labels.tsx';
import type { PageModel } from '../page-model.ts';
import { throughputOf, type ThroughputBucket } from '../throughput.ts';
import { cost, duration, rate, time, tokens, whole } from '../formats.ts';

/** From so many completed tasks on, their rate says something. */
const MANY = 20;

export function OverviewView({ scene }: { scene: PageModel }): JSX.Element {
  const now = useNow(scene);
  return (
    <section class="view overview-view" aria-label="Overview">
      <Problems scene={scene} now={now} />
      <Tiles scene={scene} now={now} />
      <h2>Members</h2>
      <Members scene={scene} now={now} />
      {scene.head?.lead.alive === true && <PauseTeam isPaused={scene.head.isPaused} />}
      <AddTask names={scene.members.map(({ name }) => name)} />
      {(scene.head?.counts['completed'] ?? 0) >= MANY && <Throughput scene={scene} now={now} />}
    </section>
  );
}

/** Problems of one kind and reason that are listed; the others are counted. */
const LISTED = 5;

/** Failures first by their reason: eighteen tasks that failed alike are one entry. */
function Problems({ scene, now }: { scene: PageModel; now: number }): JSX.Element | null {
  const { problems } = scene;
  if (problems.length === 0) return null;
  const groups = groupsOf(problems, scene);
  const failed = problems.filter(({ kind }) => kind === 'failed' || kind === 'stuck').length;
  return (
    <div class="problems">
      <h2>
        Needs you{' '}
        <Figure file="board/log.jsonl" what="what needs you">
          {problems.length}
        </Figure>
      </h2>
      <RetryAll count={failed} />
      <ul>
        {groups.map(({ reason, all }) => (
          <ProblemGroup key={reason} all={all} now={now} scene={scene} />
        ))}
      </ul>
    </div>
  );
}

interface Group {
  readonly reason: string;
  readonly all: readonly TeamProblem[];
}

/** Requests stand alone; tasks that failed for one reason stand together. */
function groupsOf(problems: readonly TeamProblem[], { tasks }: PageModel): Group[] {
  const groups = new Map<string, TeamProblem[]>();
  for (const [index, problem] of problems.entries()) {
    const isFailure = problem.kind === 'failed' || problem.kind === 'stuck';
    const reason = isFailure ? `failed ${tasks.get(problem.task ?? '')?.reason ?? ''}` : `${problem.kind} ${index}`;
    groups.set(reason, [...(groups.get(reason) ?? []), problem]);
  }
  return [...groups].map(([reason, all]) => ({ reason, all })).slice(0, 50);
}

function ProblemGroup({
  all,
  now,
  scene,
}: {
  all: readonly TeamProblem[];
  now: number;
  scene: PageModel;
}): JSX.Element | null {
  const [first] = all;
  if (first === undefined) return null;
  return (
    <li class={`problem problem-${first.kind}`}>
      {all.slice(0, LISTED).map((problem, index) => (
        <ProblemLine key={`${problem.subject} ${index}`} problem={problem} now={now} scene={scene} />
      ))}
      {all.length > LISTED && (
        <p class="note">
          <Figure file="board/log.jsonl" what="that failed for this reason">
            and {all.length - LISTED} more
          </Figure>{' '}
          for the same reason
        </p>
      )}
    </li>
  );
}

function ProblemLine({ problem, now, scene }: { problem: TeamProblem; now: number; scene: PageModel }): JSX.Element {
  const row = problem.task === undefined ? undefined : scene.tasks.get(problem.task);
  return (
    <>
      <div class="problem-head">
        <span class="problem-kind">{problem.kind}</span>
        <SubjectOf problem={problem} />
        {problem.since !== undefined && (
          <Figure file="board/log.jsonl" what="waiting time">
            {duration(now - Date.parse(problem.since))}
          </Figure>
        )}
        {row !== undefined && problem.request === undefined && <TaskActions row={row} />}
      </div>
      <p class="said">{problem.text}</p>
      <RequestForm problem={problem} />
    </>
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
  const remaining = head?.remaining ?? null;
  const spent = head?.spent ?? { tokens: 0, usd: 0, isUnknown: false };
  return (
    <dl class="tiles">
      <Tile name="Done" file="board/log.jsonl" value={`${whole(counts['completed'] ?? 0)} / ${whole(counts.total)}`} />
      <Tile name="In progress" file="board/log.jsonl" value={whole(counts['in_progress'] ?? 0)} />
      {(counts['landing'] ?? 0) > 0 && (
        <Tile name="Landing" file="board/log.jsonl" value={whole(counts['landing'] ?? 0)} />
      )}
      <Tile name="Failed" file="board/log.jsonl" value={whole(counts['failed'] ?? 0)} />
      <Tile name="Elapsed" file="board/log.jsonl" value={duration(elapsedOf(scene, now))} />
      {remaining !== null && <Tile name="Left, about" file="board/log.jsonl" value={duration(remaining)} />}
      <Tile name="Critical path" file="board/log.jsonl" value={duration(criticalMs(scene, now))} />
      {(spent.tokens > 0 || spent.isUnknown) && (
        <>
          <Tile name="Tokens" file="team/events.jsonl" value={tokens(spent.tokens)} />
          <Tile name="Cost" file="team/events.jsonl" value={cost(spent)} />
        </>
      )}
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

function Members({ scene, now }: { scene: PageModel; now: number }): JSX.Element {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Members">
      <table class="members">
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">State</th>
            <th scope="col">Task</th>
            <th scope="col" class="number">
              Time
            </th>
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
            <MemberLine key={member.name} member={member} scene={scene} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function MemberLine({ member, scene, now }: { member: MemberRow; scene: PageModel; now: number }): JSX.Element {
  const { name, role, state, reason, task, unread, spent, words } = member;
  const row = task === null ? undefined : scene.tasks.get(task);
  const subject = row?.subject ?? '';
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
        {row?.column === 'in_progress' && (
          <Figure file="board/log.jsonl" what={`time of ${name} on task ${row.id}`}>
            {duration(scene.heldMs(row, now))}
          </Figure>
        )}
      </td>
      <td class="number">
        {unread === null ? (
          'unknown'
        ) : (
          <Figure
            file={`team/${name}_${scene.past === undefined ? 'inbox' : 'receipts'}.jsonl`}
            what={`unread mail of ${name}`}
          >
            {whole(unread)}
          </Figure>
        )}
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
  const isStill = isOver || head?.outcome === 'interrupted';
  return began === null ? 0 : (isStill ? (head?.lastAt ?? began) : now) - began;
}
