/** The user's home directory. */
import { userInfo } from 'node:os';
import process from 'node:process';

/**
 * `HOME` if it is absolute. An empty or relative one counts as unset: it would lead into the project, and a cloned
 * repository could bring its own key along.
 */
export function homeDirectory(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const given = environment['HOME'];
  if (given?.startsWith('/')) return given;
  try {
    const { homedir } = userInfo();
    return homedir.startsWith('/') ? homedir : '/nonexistent';
  } catch {
    // The user has no entry in the system's list of users.
    return '/nonexistent';
  }
}
