/** Whether a program is on the PATH. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export const isInstalled = (program) =>
  process.env.PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false; // Not here.
    }
  });
