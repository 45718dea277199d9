/**
 * The wisdom of a session (docs/specification.md R10.15): four Markdown files that people and agents may also write
 * themselves. Appended to under a lock, never replaced: what others wrote meanwhile stays.
 */
import { bulletsIn, newBullets, WISDOM_FILES, type WisdomFile } from '../../model/pipeline/wisdom-files.ts';
import { O_APPEND, O_CREAT, O_WRONLY, onDisk, type Disk } from '../files/disk.ts';
import { makeDirectory, openOurs, readText, using, writeWhole } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';
import type { TeamStore } from '../team/team-store.ts';

/** A larger file is a mistake, and no prompt could hold it. In bytes. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Every bullet so far, file by file; none for a missing file. */
export const readWisdom = (disk: Disk, paths: TeamPaths): { file: WisdomFile; bullets: string[] }[] =>
  WISDOM_FILES.map((file) => ({ file, bullets: bulletsIn(readText(disk, paths.wisdom(file), MOST_BYTES) ?? '') }));

/**
 * Adds the bullets that are missing.
 * @returns the bullets that were added
 */
export async function addWisdom(
  { disk, paths, locks, pinned }: TeamStore,
  file: WisdomFile,
  texts: readonly string[],
): Promise<readonly string[]> {
  return locks.withLock(paths.wisdomLock, () => {
    pinned.check();
    makeDirectory(disk, paths.session.wisdom);
    const path = paths.wisdom(file);
    const before = readText(disk, path, MOST_BYTES) ?? '';
    const added = newBullets(before, texts);
    if (added.length === 0) return added;
    const head = before === '' ? `# ${file.charAt(0).toUpperCase()}${file.slice(1)}\n\n` : '';
    const seal = before === '' || before.endsWith('\n') ? '' : '\n';
    const text = `${head}${seal}${added.map((bullet) => `- ${bullet}\n`).join('')}`;
    using(disk, openOurs(disk, path, O_WRONLY | O_APPEND | O_CREAT), (fd) => {
      writeWhole(disk, fd, Buffer.from(text), path);
      onDisk('sync', path, () => disk.fsyncSync(fd));
    });
    return added;
  });
}
