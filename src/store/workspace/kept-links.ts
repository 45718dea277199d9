/**
 * Names of a workspace that may not change and are symbolic links. Nothing can be mounted over a link, so a program that
 * may write the workspace can replace it; what it put there is moved aside afterwards, and the link is made again.
 */
import { existsSync, renameSync, symlinkSync } from 'node:fs';
import { linkAt } from './sandbox-host.ts';

interface KeptLinks {
  /** @returns a sentence for each link that was made again, or could not be */
  mend(): string[];
}

/** @param paths absolute; those that are no links now are left out */
export function keepLinks(paths: readonly string[]): KeptLinks {
  const links = paths.flatMap((path) => {
    const target = linkAt(path);
    return target === undefined ? [] : [{ path, target }];
  });
  return {
    mend: () =>
      links.flatMap(({ path, target }) => {
        if (linkAt(path) === target) return [];
        try {
          const aside = freeName(path);
          const isThere = moveAside(path, aside);
          symlinkSync(target, path);
          return [
            `${path} was replaced, and leads to ${target} again${isThere ? `; what was there is ${aside}` : ''}.`,
          ];
        } catch (error) {
          return [`${path} was replaced, and could not be made again: ${String(error)}.`];
        }
      }),
  };
}

function freeName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = `${path}.replaced-${number}`;
    if (!existsSync(name) && linkAt(name) === undefined) return name;
  }
}

/** @returns whether there was anything */
function moveAside(path: string, aside: string): boolean {
  try {
    renameSync(path, aside);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
