/** Every verb there is, in the order of `teams --help`. */
import type { Verb } from '../verb.ts';
import { pipelines } from './pipelines.ts';
import { refining } from './refine.ts';
import { runs } from './runs.ts';
import { setup } from './setup.ts';
import { talk } from './talk.ts';
import { tasks } from './tasks.ts';
import { teams } from './teams.ts';

export const verbs: readonly Verb[] = [...runs, ...refining, ...pipelines, ...teams, ...talk, ...tasks, ...setup];
