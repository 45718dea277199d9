/** `teams doctor`: whether this machine isolates programs and commands, by trying it (docs/specification.md R7.7). */
import { isTeamError } from '../../model/text/errors.ts';
import { findOnPath } from '../../store/team/host.ts';
import { withTrialPlace, type TrialPlace } from '../../store/workspace/sandbox-host.ts';
import { openProgramIsolation } from '../isolation/open-program-isolation.ts';
import { openShellIsolation } from '../isolation/open-shell-isolation.ts';
import type { Check } from './doctor-check.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const CURE =
  'allow user namespaces for bubblewrap; until then such members run with the rights of your user, or do not start where sandbox.bwrap is required';

/** @returns nothing without bubblewrap, whose absence is a check of its own */
export async function isolationChecks(environment: Environment): Promise<Check[]> {
  if (findOnPath('bwrap', environment['PATH'] ?? '') === undefined) return [];
  try {
    return await withTrialPlace('teams/key', async (place) => {
      const here = { ...environment, XDG_STATE_HOME: place.state };
      return [
        checkOf('isolation of programs', await told(programTrouble(place, here))),
        checkOf('isolation of commands', await told(shellTrouble(place, here))),
      ];
    });
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return [{ name: 'temporary files', ok: false, found: error.message, cure: 'set TMPDIR to a directory of yours' }];
  }
}

/** Also of a bubblewrap that does not answer. */
async function told(trouble: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await trouble;
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return error.message;
  }
}

const shellTrouble = async ({ root }: TrialPlace, environment: Environment): Promise<string | undefined> =>
  (await openShellIsolation({ setting: 'auto', root, environment })).why;

const checkOf = (name: string, trouble: string | undefined): Check => ({
  name,
  ok: trouble === undefined,
  found: trouble ?? 'tried: it holds',
  cure: trouble === undefined ? '' : CURE,
});

async function programTrouble({ root, ownHome }: TrialPlace, environment: Environment): Promise<string | undefined> {
  const isolation = await openProgramIsolation({
    setting: 'auto',
    root,
    isWritable: true,
    ownHome,
    shared: [],
    team: [],
    readable: [],
    handed: [],
    programs: [],
    member: { name: 'doctor', team: 'doctor', environment: {} },
    commandLine: () => Promise.resolve(0),
    environment,
  });
  if (isolation.kind === 'missing') return isolation.why;
  await isolation.close();
  return undefined;
}
