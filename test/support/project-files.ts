/** The files of a project as a person has them, byte for byte. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Every file and link that is neither git's nor ours, with its mode and bytes. */
export const filesIn = (at: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(at, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !/\/(?:\.git|\.teams|\.tasks)(?:\/|$)/.test(path))
      .map((path) => {
        const isLink = lstatSync(path).isSymbolicLink();
        const text = isLink ? readlinkSync(path) : readFileSync(path, 'base64');
        return [relative(at, path), `${lstatSync(path).mode.toString(8)} ${text}`];
      }),
  );
