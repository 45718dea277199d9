/** Finds programs. */
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * The path of a program: an absolute path itself, or the first executable of that name on `path`. Relative entries of
 * `path` are ignored: with them the working directory would choose the program.
 *
 * @param path a PATH variable
 * @returns undefined if no executable was found
 */
export const findProgram = (name: string, path: string): string | undefined =>
  isAbsolute(name)
    ? [name].find(isExecutable)
    : path
        .split(delimiter)
        .filter((directory) => isAbsolute(directory))
        .map((directory) => join(directory, name))
        .find(isExecutable);

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Missing or not executable for this user: the next directory may have it.
    return false;
  }
}
