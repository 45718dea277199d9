/** Whose a file is, in words: for messages only. */
import { lstatSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** `ann`, or `uid 1000` if the user has no name here. */
export function userName(uid: number): string {
  try {
    const users = readFileSync('/etc/passwd', 'utf8').split('\n');
    const found = users.map((line) => line.split(':')).find((fields) => fields[2] === String(uid));
    return found?.[0] ?? `uid ${uid}`;
  } catch {
    return `uid ${uid}`;
  }
}

/** The nearest existing part of a path that belongs to another user; undefined if this user owns that part. */
export function foreignOwner(path: string): { readonly path: string; readonly name: string } | undefined {
  for (let at = path; ; at = dirname(at)) {
    try {
      const { uid } = lstatSync(at);
      return uid === process.getuid?.() ? undefined : { path: at, name: userName(uid) };
    } catch {
      // It is missing, or may not be looked at: its directory is asked.
      if (dirname(at) === at) return undefined;
    }
  }
}

/** For a path in `HOME`, if that is not this user's: what is wrong with it, and the cure. */
export function foreignHome(path: string): string | undefined {
  const home = process.env['HOME'];
  if (home === undefined || !home.startsWith('/') || !`${path}/`.startsWith(`${home}/`)) return undefined;
  const owner = foreignOwner(home);
  if (owner === undefined) return undefined;
  const what = owner.path === home ? `belongs to ${owner.name}` : 'does not exist or cannot be reached';
  return `HOME is ${home}, which ${what}: set HOME to a directory of yours (with sudo: \`sudo -H\`), or XDG_STATE_HOME (the key) and XDG_CONFIG_HOME (the configuration)`;
}
