/** How commands of models are held in, as a lead tells it to its teammates: under the configuration's own name. */
import type { WallSetting } from '../policy/yard.ts';

const VARIABLE = 'TEAMS_SANDBOX_BWRAP';

export const wallVariables = (wall: WallSetting | undefined): Record<string, string> =>
  wall === undefined ? {} : { [VARIABLE]: wall };

/** What was told; `auto` for what was not, or makes no sense. */
export function wallFrom(environment: Readonly<Record<string, string | undefined>>): WallSetting {
  const told = environment[VARIABLE];
  return told === 'required' || told === 'off' ? told : 'auto';
}
