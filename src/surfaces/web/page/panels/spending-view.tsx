/** Tokens and cost, by member and by task. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Spent, TaskRow } from '../../wire-types.ts';
import { usePageNavigation } from '../navigation.ts';
import { Figure, MemberName } from './labels.tsx';
import type { PageModel } from '../page-model.ts';
import { Windowed } from './windowed.tsx';
import { cost, tokens, whole } from '../formats.ts';

export function SpendingView({ scene }: { scene: PageModel }): JSX.Element {
  const { head, members } = scene;
  const spenders = useMemo(
    () => members.flatMap(({ name, spent }) => (spent ? [{ name, spent }] : [])).sort((a, b) => more(a.spent, b.spent)),
    [members],
  );
  const tasks = useMemo(() => dearest(scene.tasks.values()), [scene.version]);
  const total = head?.spent ?? { tokens: 0, usd: 0, isUnknown: false };
  return (
    <section class="view spending-view" aria-label="Spending">
      <p class="lead-line">
        <Figure file="team/events.jsonl" what="tokens in all">
          {whole(total.tokens)} tokens
        </Figure>
        ,{' '}
        <Figure file="team/events.jsonl" what="cost in all">
          cost {cost(total)}
        </Figure>
        {(head?.unpriced.length ?? 0) > 0 && (
          <span class="note said"> without {head?.unpriced.join(', ')}, whose price is not known</span>
        )}
      </p>
      <div class="halves">
        <Half title="By member" label="Members by usage" empty="No member used a model." rows={spenders}>
          {({ name }) => <MemberName name={name} members={members} />}
        </Half>
        <Half title="By task" label="Tasks by usage" empty="No task used a model." rows={tasks}>
          {(row) => <TaskLink {...row} />}
        </Half>
      </div>
    </section>
  );
}

interface Row {
  readonly name: string;
  readonly spent: Spent;
}

interface HalfProps<T extends Row> {
  readonly title: string;
  readonly label: string;
  readonly empty: string;
  /** The most expensive first. */
  readonly rows: readonly T[];
  /** Renders the label of a row. */
  readonly children: (row: T) => JSX.Element;
}

function Half<T extends Row>({ title, label, empty, rows, children }: HalfProps<T>): JSX.Element {
  const most = rows[0]?.spent;
  return (
    <div>
      <h2>{title}</h2>
      <Windowed
        label={label}
        empty={empty}
        count={rows.length}
        height={34}
        row={(index) => {
          const row = rows[index];
          return (
            row && (
              <div class="spent-row">
                {children(row)}
                <Bars spent={row.spent} most={most} what={row.name} />
              </div>
            )
          );
        }}
      />
    </div>
  );
}

function TaskLink({ id, subject }: TaskSpent): JSX.Element {
  const { show } = usePageNavigation();
  return (
    <button type="button" class="link cut" onClick={() => show({ kind: 'task', id })}>
      #{id} {subject}
    </button>
  );
}

function Bars({ spent, most, what }: { spent: Spent; most: Spent | undefined; what: string }): JSX.Element {
  return (
    <>
      <meter min={0} max={Math.max(1, most?.tokens ?? 1)} value={spent.tokens} aria-label={`tokens of ${what}`} />
      <Figure file="team/events.jsonl" what={`spent by ${what}`}>
        {tokens(spent.tokens)} <b>{cost(spent)}</b>
      </Figure>
    </>
  );
}

const more = (a: Spent, b: Spent): number => b.usd - a.usd || b.tokens - a.tokens;

interface TaskSpent extends Row {
  readonly id: string;
  readonly subject: string;
}

const dearest = (tasks: Iterable<TaskRow>): TaskSpent[] =>
  [...tasks]
    .flatMap(({ id, subject, spent }) => (spent === null ? [] : [{ id, subject, spent, name: `task ${id}` }]))
    .sort((a, b) => more(a.spent, b.spent));
