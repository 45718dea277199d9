/**
 * What of a workspace no mount protects from a program that may write it, looked at after each turn: names that are
 * symbolic links (nothing can be mounted over a link), names that were not there, and the mode of the directory itself.
 * Where the earlier state is known, it is made again; what a program put in its place is moved aside.
 */
import { chmodSync, existsSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { linkAt, namesIn } from './sandbox-host.ts';

interface Kept {
  /** @returns a sentence for each thing that was made again, could not be, or is new */
  mend(): string[];
}

/**
 * @param root the workspace
 * @param names directly in it: those that may not change
 */
export function keepNames(root: string, names: readonly string[], isKept: (name: string) => boolean): Kept {
  const here = namesIn(root);
  const kept = new Set([...names, ...here.filter(isKept)]);
  // The mode first: without it, nothing else can be made again.
  const steps = [keepMode(root), keepLinks([...kept].map((name) => `${root}/${name}`)), tellNew(root, kept, isKept)];
  return { mend: () => steps.flatMap((step) => step.mend()) };
}

/** A name that nothing covered may be the user's own, so it stays. */
function tellNew(root: string, known: Set<string>, isKept: (name: string) => boolean): Kept {
  const isNew = (name: string): boolean => isKept(name) && !known.has(name) && !ASIDE.test(name);
  return {
    mend: () =>
      namesIn(root)
        .filter(isNew)
        .map((name) => {
          known.add(name);
          return `${root}/${name} is new; look at it before a program of yours reads it.`;
        }),
  };
}

/** For others to write, or away from its owner. */
const OTHERS = 0o7022;
const OWNERS = 0o700;

function keepMode(root: string): Kept {
  const mode = (): number => statSync(root).mode & 0o7777;
  const before = mode();
  return {
    mend() {
      const now = mode();
      if ((now & ~before & OTHERS) === 0 && (before & ~now & OWNERS) === 0) return [];
      chmodSync(root, before);
      return [`The mode of ${root} was changed to ${now.toString(8)}, and is ${before.toString(8)} again.`];
    },
  };
}

/** @param paths absolute; those that are no links now are left out */
function keepLinks(paths: readonly string[]): Kept {
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

/** What was moved aside. */
const ASIDE = /\.replaced-\d+$/;

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
