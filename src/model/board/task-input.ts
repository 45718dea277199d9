/** A new task as a caller gives it: with references to its blockers instead of their ids. */
import * as z from 'zod';
import { closed } from '../text/document-problem.ts';
import { newTaskSchema } from './task.ts';

/** Keys of a plan's task that have another place here. */
const OF_WORK = ['run', 'prompt', 'verify', 'env', 'files', 'artifact'] as const;

export const taskInputSchema = closed(
  { ...newTaskSchema.shape, blockedBy: z.array(z.string()).default([]) },
  { ...Object.fromEntries(OF_WORK.map((key) => [key, `"work.${key}"`])), timeout: '"work.timeoutMs"' },
);
