/** One JSON file per task: claimed by an `O_EXCL` file beside it; each change is a temporary file renamed over it. */
import { closeSync, openSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileOf = (dir, id) => join(dir, `${id}.json`);

function replace(dir, task) {
  const temp = `${fileOf(dir, task.id)}.${process.pid}.tmp`;
  writeFileSync(temp, JSON.stringify(task, null, 2));
  renameSync(temp, fileOf(dir, task.id));
}

export function prepare(dir, tasks) {
  for (let id = 1; id <= tasks; id += 1)
    writeFileSync(fileOf(dir, id), JSON.stringify({ id, subject: `Task ${id}`, status: 'pending' }, null, 2));
}

const isClaimed = (dir, id) => {
  try {
    closeSync(openSync(join(dir, `${id}.claim`), 'wx'));
    return false;
  } catch (error) {
    if (error.code === 'EEXIST') return true;
    throw error;
  }
};

export function claimant({ dir, index }) {
  // It lists the directory once and continues from there: faster than to list it for each claim.
  const ids = readdirSync(dir).flatMap((file) => /^(\d+)\.json$/.exec(file)?.[1] ?? []);
  ids.sort((one, other) => one - other);
  return {
    next() {
      for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
        const task = JSON.parse(readFileSync(fileOf(dir, id), 'utf8'));
        if (task.status !== 'pending' || isClaimed(dir, id)) continue;
        replace(dir, { ...task, status: 'in_progress', owner: `w${index}` });
        replace(dir, { ...task, status: 'completed', owner: `w${index}`, result: 'done' });
        return id;
      }
      return undefined;
    },
  };
}
