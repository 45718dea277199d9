/**
 * Exceptions from file ownership (docs/specification.md R8.15). A member names files that it does not own; the lead
 * grants them. Never granted: a shared file, and a file whose owner still works on it.
 */
import type { Board } from '../../model/board/board.ts';
import type { Name } from '../../model/text/names.ts';
import { isFinal } from '../../model/board/task.ts';
import { withoutEnd } from '../../model/text/repeated-characters.ts';
import { matcher } from '../file-patterns.ts';

interface BoundaryAnswer {
  readonly granted: readonly string[];
  /** Sentences, one for each refused file. */
  readonly refused: readonly string[];
  /** The shared files among the refused ones: the lead makes the change itself. */
  readonly wished: readonly string[];
}

/** At most this many files are read from one message. */
const MOST = 50;

/** The files that a text names: words with a slash or a file extension, below the working directory. */
export function filesNamed(text: string): string[] {
  const words = text.split(/[\s"'`,;<>|()]+/).map((word) => withoutEnd(word.replace(/^\.\//, ''), '.:!?'));
  const isFile = (word: string): boolean =>
    !/^(?:e\.g|i\.e)$/i.test(word) &&
    /^[\w@.-]+(?:\/[\w@.-]+)*$/.test(word) &&
    !word.split('/').includes('..') &&
    /\/|[\w-]\.[a-z]\w{0,9}$/i.test(word);
  return [...new Set(words.filter(isFile))].slice(0, MOST);
}

export function boundaryAnswer(board: Board, asker: Name, text: string, shared: readonly string[]): BoundaryAnswer {
  const isShared = matcher(shared);
  const others = [...board.tasks.values()]
    .filter((task) => task.owner !== undefined && task.owner !== asker && !isFinal(task))
    .map(({ id, owner, work }) => ({ id, owner, isIts: matcher(work.files) }));
  const judged = filesNamed(text).map((file) => {
    if (isShared(file))
      return {
        file,
        isShared: true,
        why: `${file} is a shared file: the lead gets your request and makes the change.`,
      };
    const busy = others.find(({ isIts }) => isIts(file));
    return {
      file,
      isShared: false,
      why:
        busy &&
        `${file} belongs to ${busy.owner ?? 'another'}, whose task #${busy.id} is not done: ask ${busy.owner ?? 'its owner'}.`,
    };
  });
  return {
    granted: judged.flatMap(({ file, why }) => (why === undefined ? [file] : [])),
    refused: judged.flatMap(({ why }) => why ?? []),
    wished: judged.flatMap(({ file, isShared: isLeads }) => (isLeads ? [file] : [])),
  };
}

/** The answer to the asking member. */
export const boundaryText = ({ granted, refused }: Omit<BoundaryAnswer, 'wished'>): string =>
  [
    ...(granted.length > 0 ? [`BOUNDARY GRANTED: ${granted.join(', ')}`] : []),
    ...refused.map((why) => `BOUNDARY REFUSED: ${why}`),
    ...(granted.length + refused.length === 0 ? ['BOUNDARY: name the files with their paths.'] : []),
  ].join('\n');
