/** What was used, by whom and for what. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Spent, TaskRow } from '../shapes.ts';
import { useGoing } from './go.ts';
import { Figure, MemberName } from './marks.tsx';
import type { Scene } from './scene.ts';
import { Windowed } from './windowed.tsx';
import { money, tokens, whole } from './words.ts';

export function SpendingView({ scene }: { scene: Scene }): JSX.Element {
  const { head, members } = scene;
  const spenders = useMemo(
    () => members.flatMap(({ name, spent }) => (spent ? [{ name, spent }] : [])).sort((a, b) => more(a.spent, b.spent)),
    [members],
  );
  const tasks = useMemo(() => dearest(scene.tasks.values()), [scene.version]);
  const total = head?.spent ?? { tokens: 0, usd: 0 };
  return (
    <section class="view spending-view" aria-label="Spending">
      <p class="lead-line">
        <Figure file="team/events.jsonl" what="tokens in all">
          {whole(total.tokens)} tokens
        </Figure>
        ,{' '}
        <Figure file="team/events.jsonl" what="cost in all">
          {money(total.usd)}
        </Figure>
        {(head?.unpriced.length ?? 0) > 0 && (
          <span class="note"> without {head?.unpriced.join(', ')}, whose price is not known</span>
        )}
      </p>
      <div class="halves">
        <div>
          <h2>By member</h2>
          <Windowed
            label="Members by what they used"
            count={spenders.length}
            height={34}
            empty="Nobody used a model."
            row={(index) => {
              const one = spenders[index];
              return (
                one && (
                  <div class="spent-row">
                    <MemberName name={one.name} members={members} />
                    <Bars spent={one.spent} most={spenders[0]?.spent} what={one.name} />
                  </div>
                )
              );
            }}
          />
        </div>
        <div>
          <h2>By task</h2>
          <Windowed
            label="Tasks by what they used"
            count={tasks.length}
            height={34}
            empty="No task used a model."
            row={(index) => {
              const task = tasks[index];
              return task?.spent && <TaskSpent task={task} spent={task.spent} most={tasks[0]?.spent ?? undefined} />;
            }}
          />
        </div>
      </div>
    </section>
  );
}

function TaskSpent({ task, spent, most }: { task: TaskRow; spent: Spent; most: Spent | undefined }): JSX.Element {
  const { show } = useGoing();
  return (
    <div class="spent-row">
      <button type="button" class="link cut" onClick={() => show({ is: 'task', id: task.id })}>
        #{task.id} {task.subject}
      </button>
      <Bars spent={spent} most={most} what={`task ${task.id}`} />
    </div>
  );
}

function Bars({ spent, most, what }: { spent: Spent; most: Spent | undefined; what: string }): JSX.Element {
  return (
    <>
      <meter min={0} max={Math.max(1, most?.tokens ?? 1)} value={spent.tokens} aria-label={`tokens of ${what}`} />
      <Figure file="team/events.jsonl" what={`spent by ${what}`}>
        {tokens(spent.tokens)} <b>{money(spent.usd)}</b>
      </Figure>
    </>
  );
}

const more = (a: Spent, b: Spent): number => b.usd - a.usd || b.tokens - a.tokens;

const dearest = (tasks: Iterable<TaskRow>): TaskRow[] =>
  [...tasks].filter(({ spent }) => spent !== null).sort((a, b) => more(a.spent ?? ZERO, b.spent ?? ZERO));

const ZERO: Spent = { tokens: 0, usd: 0 };
