/** Every verb there is, in the order of `teams --help`. */
import type { Verb } from '../verb.ts';
import { engine } from './engine-verbs.ts';
import { pipelines } from './pipeline-verbs.ts';
import { refining } from './refine-verbs.ts';
import { runs } from './run-verbs.ts';
import { setup } from './setup-verbs.ts';
import { talk } from './mail-verbs.ts';
import { tasks } from './task-verbs.ts';
import { teams } from './team-verbs.ts';

export const verbs: readonly Verb[] = [...runs, ...refining, ...pipelines, ...teams, ...talk, ...tasks, ...setup, ...engine];
