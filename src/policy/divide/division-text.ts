/** A division of work as text for people: TEAM DECOMPOSITION (docs/specification.md R8.5). */
import type { Division, DividedTask } from './decompose.ts';

/** At most this many entries of a list: a monorepo has hundreds of shared files. */
const SHOWN = 12;

interface Described {
  readonly task: string;
  readonly template: string;
}

/** Plain text without a final newline. */
export function divisionText(division: Division, { task, template }: Described): string {
  const { workers, tasks, shared, boundary } = division;
  return [
    'TEAM DECOMPOSITION',
    `Task: ${JSON.stringify(oneLine(task))}`,
    `Workers: ${workers.length} | Template: ${template}`,
    '',
    ...tasks.flatMap((one, at) => [...taskLines(one, at), '']),
    `  Shared files (coordinator only): ${some(shared)}`,
    `  Boundary files: ${some(boundary.map(({ file, owner }) => `${file} (assigned to ${owner.name})`))}`,
  ].join('\n');
}

function taskLines({ subject, owner, files, dependencies }: DividedTask, at: number): string[] {
  const after = dependencies.map(({ on, why }) => `#${on + 1}${why === undefined ? '' : ` (${why})`}`);
  return [
    `  #${at + 1} [${owner.label}]  ${subject} (${owner.name}, ${owner.role}, ${owner.tier})`,
    `     Files: ${files.length === 0 ? 'none' : some(files)}`,
    `     Dependencies: ${after.length === 0 ? 'none' : `blocked by ${after.join(', ')}`}`,
  ];
}

const some = (list: readonly string[]): string =>
  list.length === 0
    ? 'none'
    : [...list.slice(0, SHOWN), ...(list.length > SHOWN ? [`and ${list.length - SHOWN} more`] : [])].join(', ');

const oneLine = (text: string): string => {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > 300 ? `${flat.slice(0, 300)}…` : flat;
};
