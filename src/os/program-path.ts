/** Where a program is. */
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * The program of an argv: at its path, or the first executable of that name on `path`. Relative entries are passed over: they would let the working directory
 * choose the program.
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
    // Not there or not for us: the next directory may have it.
    return false;
  }
}
