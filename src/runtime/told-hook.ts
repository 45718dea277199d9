/** The hook that judges finished tasks, as a lead tells it to its teammates: under the configuration's own name. */
import { commandFrom, commandText, type Command } from '../model/agent.ts';
import type { Hooks } from './hooks.ts';

const VARIABLE = 'TEAMS_HOOK_ON_TASK_COMPLETED';

export const hookVariables = ({ onTaskCompleted }: Hooks = {}): Record<string, string> =>
  onTaskCompleted === undefined ? {} : { [VARIABLE]: commandText(onTaskCompleted) };

/** What was told; no hook, for what was not or makes no sense. */
export const hookFrom = (environment: Readonly<Record<string, string | undefined>>): Command | undefined =>
  commandFrom(environment[VARIABLE] ?? '');
