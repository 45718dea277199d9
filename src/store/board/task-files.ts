/** The files that a member's program gets: the task as JSON, and the mail that came for it. Removed after the turn. */
import { escapedJson, safeJson } from '../../model/text/safe-text.ts';
import type { Message } from '../../model/team/message.ts';
import type { Task } from '../../model/board/task.ts';
import { removeFile, type Disk } from '../files/disk.ts';
import { createFile } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';

interface TaskFiles {
  readonly taskFile: string;
  readonly mailFile: string;
  remove(): void;
}

export function writeTaskFiles(
  disk: Disk,
  paths: TeamPaths,
  task: Task,
  epoch: number,
  mail: readonly Message[],
): TaskFiles {
  const taskFile = paths.taskFile(task.id, epoch);
  const mailFile = `${taskFile.slice(0, -'.task.json'.length)}.mail.jsonl`;
  createFile(disk, taskFile, `${escapedJson(JSON.stringify(task, null, 2))}\n`);
  createFile(disk, mailFile, mail.map((message) => `${safeJson(message)}\n`).join(''));
  return {
    taskFile,
    mailFile,
    remove() {
      removeFile(disk, taskFile);
      removeFile(disk, mailFile);
    },
  };
}
