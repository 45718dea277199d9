/** The path of a program on PATH; undefined if it is not installed. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export const whereIs = (program) =>
  process.env.PATH.split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false; // Not here.
      }
    });

export const isInstalled = (program) => whereIs(program) !== undefined;
