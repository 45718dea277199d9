/** Wrong boards, each with one error that real programs have. */
import { claimOf } from '../../../../src/model/board/board.ts';
import type { BoardEvent } from '../../../../src/model/board/event.ts';
import { O_CREAT, O_EXCL, O_WRONLY, type Disk } from '../../../../src/store/files/disk.ts';
import { readText } from '../../../../src/store/files/file.ts';
import { LEAD, type Name } from '../../../../src/model/text/names.ts';
import type { Run } from '../life.ts';
import { PATHS } from '../scenarios/inbox.ts';
import type { BoardVariant } from '../scenarios/board.ts';
import { over } from './over.ts';

const ofLead = ({ author, ...event }: BoardEvent, lead: string | null, epoch: number): BoardEvent =>
  'lead' in author && lead !== null ? { ...event, author: { lead, epoch } } : { ...event, author };

/** Accepts an event of any lead, whichever epoch it has. */
export const leadWithoutEpoch: BoardVariant = {
  law: {
    before: (board, event) =>
      event.type === 'lead.took' ? event : ofLead(event, board.lead.incarnation, board.lead.epoch),
  },
};

/** A task gets the next id, whatever its creator wrote. */
export const idByOrder: BoardVariant = {
  law: {
    before: (board, event) =>
      event.type === 'task.created' ? { ...event, task: String(board.lastTaskId + 1) } : event,
  },
};

const CLAIM_MS = 2;

/** A claim expires by the clock of the process that folds. */
export const foldReadsClock: BoardVariant = {
  law: {
    before(board, event, run) {
      if (event.type !== 'task.claimed') return event;
      const task = board.tasks.get(event.task);
      const claim = task && claimOf(task);
      const since = task?.status === 'in_progress' ? Date.parse(task.claimed_at) : 0;
      if (!claim || (run?.clock.now() ?? 0) - since < CLAIM_MS) return event;
      const { id, v, at } = event;
      const author = { person: LEAD, epoch: board.lead.epoch };
      return {
        id,
        v,
        at,
        author,
        type: 'task.released',
        task: event.task,
        epoch: claim.epoch,
        reason: 'fenced',
        why: 'late',
      };
    },
  },
};

/** A setting of the process that folds decides which member may claim. */
export const foldReadsConfig: BoardVariant = {
  law: {
    before(_, event, run) {
      const isRefused = event.type === 'task.claimed' && event.member === 'bob' && (run?.life.number ?? 0) % 2 === 0;
      return isRefused ? { ...event, task: '999' } : event;
    },
  },
};

/** An event of a newer version is skipped. */
export const foldSkipsUnknown: BoardVariant = {
  law: { parsed: (line) => (line.kind === 'newer' ? { kind: 'noise', why: `version ${line.version}` } : line) },
};

/** A record begins where the last one ended, torn or not. */
export const withoutNewline: BoardVariant = {
  diskOf: ({ disk }) => {
    const writeSync = (fd: number, bytes: Buffer, _: number, length: number): number =>
      1 + disk.writeSync(fd, bytes, 1, length - 1, null);
    return over(disk, { writeSync } as Partial<Disk>);
  },
};

/** A partly written record is truncated back to the former end of the log. */
export const truncateBack: BoardVariant = {
  diskOf: ({ disk }) => {
    const writeSync = (fd: number, bytes: Buffer, at: number, length: number, position: number | null): number => {
      const { size } = disk.fstatSync(fd);
      const written = disk.writeSync(fd, bytes, at, length, position);
      if (written < length) disk.ftruncateSync(fd, size);
      return written;
    };
    return over(disk, { writeSync } as Partial<Disk>);
  },
};

/** A claim reads that the task is free, and renames its own file over it. */
export const claimByRename: BoardVariant = {
  claim: (run, _store, _author, id, member) => {
    const path = `${PATHS.board}/${id}.claim.json`;
    if (readText(run.disk, path) !== undefined) return undefined;
    replace(run, path, member);
    return 1;
  },
};

function replace({ disk, life }: Run, path: string, member: Name): void {
  const temp = `${path}.${life.number}`;
  const fd = disk.openSync(temp, O_CREAT | O_EXCL | O_WRONLY, 0o600);
  disk.writeSync(fd, Buffer.from(member), 0, member.length, 0);
  disk.closeSync(fd);
  disk.renameSync(temp, path);
}
