/** What the run changed, in all or for one task, as a diff. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ChangesPage } from '../../wire-types.ts';
import { usePageNavigation } from '../navigation.ts';
import type { PageModel } from '../page-model.ts';
import { useAnswer } from '../use-answer.ts';
import { plural } from '../formats.ts';
import { Figure } from './labels.tsx';

/** Lines that are drawn at most. */
const DRAWN = 4_000;

export function ChangesView({ scene }: { scene: PageModel }): JSX.Element {
  const [task, setTask] = useState('');
  const tasks = [...scene.tasks.values()].filter(({ isBegun }) => isBegun);
  // Thousands of options are not made anew at each update of the team.
  const options = useMemo(
    () =>
      tasks.map(({ id, subject }) => (
        <option key={id} value={id}>
          #{id} {subject}
        </option>
      )),
    [tasks.map(({ id, subject }) => `${id} ${subject}`).join('\n')],
  );
  return (
    <section class="view changes-view" aria-label="Changes">
      <div class="tools">
        <select aria-label="Whose changes" value={task} onChange={(event) => setTask(event.currentTarget.value)}>
          <option value="">The whole run</option>
          {options}
        </select>
      </div>
      <Changes task={task} mark={`${scene.head?.counts['completed'] ?? 0} ${scene.isOver}`} />
    </section>
  );
}

/** @param mark a new value asks again */
export function Changes({ task, mark }: { task: string; mark: unknown }): JSX.Element {
  const { team } = usePageNavigation();
  const sight = useAnswer<ChangesPage>(
    team,
    task === '' ? 'changes' : `changes?task=${encodeURIComponent(task)}`,
    mark,
  );
  if (sight.kind === 'awaited') return <p class="empty">Comparing…</p>;
  if (sight.kind === 'failed') return <p class="empty said">{sight.why}</p>;
  const { files, text, isCut } = sight.value;
  if (files.length === 0) return <p class="empty">Nothing has changed.</p>;
  const lines = text.split('\n');
  return (
    <>
      <p class="lead-line">
        <Figure file="team/state.json" what="files changed">
          {plural(files.length, 'file')}
        </Figure>
        {(isCut || lines.length > DRAWN) && <span class="note"> The rest: `teams diff`.</span>}
      </p>
      <pre class="diff said" tabIndex={0} aria-label="Changes">
        {lines.slice(0, DRAWN).map((line, index) => (
          <span key={index} class={kindOf(line)}>
            {line}
            {'\n'}
          </span>
        ))}
      </pre>
    </>
  );
}

function kindOf(line: string): string {
  if (line.startsWith('diff --git')) return 'diff-file';
  if (line.startsWith('@@')) return 'diff-place';
  if (line.startsWith('+')) return 'diff-added';
  return line.startsWith('-') ? 'diff-removed' : '';
}
