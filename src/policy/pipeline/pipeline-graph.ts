/**
 * A pipeline as a tree of text lines. Each task is below the last task that it waits for; its other blockers are named
 * in brackets.
 */
import type { Pipeline, PipelineTask } from '../../model/pipeline/pipeline-definition.ts';

export function pipelineGraph({ tasks }: Pick<Pipeline, 'tasks'>): string[] {
  const parentOf = ({ after }: PipelineTask): string | undefined =>
    tasks.findLast(({ code }) => after.includes(code))?.code;
  const draw = (parent: string | undefined, indent: string): string[] => {
    const children = tasks.filter((task) => parentOf(task) === parent);
    return children.flatMap((task, at) => {
      const isLast = at === children.length - 1;
      const [branch, below] = parent === undefined ? ['', ''] : isLast ? ['└─ ', '   '] : ['├─ ', '│  '];
      return [`${indent}${branch}${label(task, parent)}`, ...draw(task.code, `${indent}${below}`)];
    });
  };
  return draw(undefined, '');
}

function label({ code, role, subject, after, discuss, fix }: PipelineTask, parent: string | undefined): string {
  const others = after.filter((one) => one !== parent);
  const notes = [
    ...(others.length === 0 ? [] : [`after ${others.join(', ')} too`]),
    ...(discuss === undefined ? [] : [discuss]),
    ...(fix === undefined ? [] : [`faults go back to ${fix.join(', ')}`]),
  ];
  return `${code}  ${role ?? 'a person'}: ${subject}${notes.length === 0 ? '' : ` [${notes.join('; ')}]`}`;
}
