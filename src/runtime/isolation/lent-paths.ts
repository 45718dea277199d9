/** What a person lends by `sandbox.lend`, as paths of the host; what may not be lent is refused. */
import { dirname, join, resolve } from 'node:path';
import { AgentError } from '../../model/text/errors.ts';
import type { Lend } from '../../model/team/lend.ts';
import type { LentPath, LentPaths } from '../../policy/sandbox/lent-path.ts';
import { leadsThrough } from '../../os/program-path.ts';
import { keyPath } from '../../store/user/seal.ts';
import { entriesAt } from '../../store/workspace/sandbox-host.ts';

interface Kept {
  readonly home: string;
  readonly root: string;
  /** The user's key and the team's folders. */
  readonly secrets: readonly string[];
}

export const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(`${directory}/`);

/** The directory of the user's key, and the folders of the team. */
export const secretsOf = (
  environment: Readonly<Record<string, string | undefined>>,
  team: readonly string[],
): string[] => [dirname(keyPath(environment)), ...team];

/**
 * What is not there is left out.
 *
 * @throws AgentError `AGENT_UNAVAILABLE` for what may not be lent
 */
export function lentPaths(lend: Lend | undefined, kept: Kept): LentPaths {
  const writable = (lend?.write ?? []).flatMap((path) => entriesAt([placeOf(path, kept)]).map((found) => found.path));
  const all = (key: keyof Lend): LentPath[] => (lend?.[key] ?? []).flatMap((path) => lentAs(key, path, kept, writable));
  return { read: [...all('read'), ...all('sockets')], write: all('write') };
}

const placeOf = (written: string, { home }: Pick<Kept, 'home'>): string =>
  resolve(written.startsWith('~/') ? join(home, written.slice(2)) : written);

/** @param writable what members may write: a link in it, or in the workspace, may lead anywhere at the next start */
function lentAs(key: keyof Lend, written: string, kept: Kept, writable: readonly string[]): LentPath[] {
  const { home, root, secrets } = kept;
  const at = placeOf(written, kept);
  const [found] = entriesAt([at]);
  if (found === undefined) return [];
  const both = [at, found.path];
  const isOver = (path: string): boolean => both.some((one) => isBelow(path, one));
  const isIn = (path: string): boolean => both.some((one) => isBelow(one, path));
  const why = both.includes('/')
    ? 'is everything'
    : isOver(home)
      ? 'is your home directory, or contains it'
      : secrets.some((path) => isOver(path) || isIn(path))
        ? 'has to do with your key or the team'
        : isIn(root) || leadsThrough(at, root)
          ? 'lies in the workspace, for which the sandbox of the member decides'
          : ['/proc', '/dev', '/sys', '/run/teams'].some(isIn)
            ? 'belongs to the system'
            : writable.some((path) => path !== found.path && leadsThrough(at, path))
              ? 'lies in a folder that is lent to be written, in which a member can put a link'
              : undefined;
  if (why === undefined) return [{ from: found.path, at }];
  throw new AgentError('AGENT_UNAVAILABLE', `sandbox.lend.${key}: ${written} ${why}, and cannot be lent. Take it out.`);
}
