/** The environment of a program in its isolation. */
import { ENV } from '../../model/text/environment.ts';
import { INSIDE } from '../../policy/sandbox/program-isolation.ts';
import { binDirectory } from '../process/package.ts';

/** The socket is the member's identity, so no token goes in. */
export function insideEnvironment(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const rest = Object.entries(environment).filter(([name]) => name !== ENV.token);
  const path = (environment['PATH'] ?? '').split(':').map((entry) => (entry === binDirectory ? INSIDE.client : entry));
  return { ...Object.fromEntries(rest), PATH: path.join(':'), [ENV.socket]: INSIDE.socket };
}
