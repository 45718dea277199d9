/** What a scripted agent says and does, as data, and which turn of it comes next. */
import * as z from 'zod';
import { FAILURE_CLASSES, processText } from '../model/agent/agent.ts';
import { closed } from '../model/text/document-problem.ts';

const milliseconds = z.int().min(0).max(86_400_000);

const isBelow = (path: string): boolean => path !== '' && !path.startsWith('/') && !path.split('/').includes('..');

const callSchema = closed({
  tool: z.string().min(1).max(200),
  input: z.record(z.string(), z.json()).default({}),
});

const failSchema = closed({
  why: z.enum([...FAILURE_CLASSES, 'exit']),
  message: z.string().min(1),
  exitCode: z.int().min(0).max(255).optional(),
  retryAfterMs: milliseconds.optional(),
});

/** One turn. Its steps are done in the order of these keys; it ends by `crashes`, `fails` or `answers`. */
export const scriptedTurnSchema = closed({
  /** Only for a prompt that contains this text. */
  match: z.string().min(1).optional(),
  says: z.array(z.string()).optional(),
  calls: z.array(callSchema).optional(),
  waitsMs: milliseconds.optional(),
  /** Waits for a file that another process makes. */
  waitsFor: processText.min(1).optional(),
  /** Path below the working directory → text. */
  writes: z.record(processText.refine(isBelow, 'Expected a path below the working directory.'), z.string()).optional(),
  /** Kills its own process, as a crash of the machine would. */
  crashes: z.literal(true).optional(),
  fails: failSchema.optional(),
  answers: z.string().optional(),
  /** The turn is never used up. */
  repeat: z.literal(true).optional(),
});
export type ScriptedTurn = z.infer<typeof scriptedTurnSchema>;

export const scriptedTurnsSchema = z.array(scriptedTurnSchema).max(1_000);

/** `options` of a scripted agent: its turns, or a YAML or JSON file with a list of turns. */
export const scriptSchema = closed({
  turns: scriptedTurnsSchema.optional(),
  file: processText.min(1).optional(),
}).refine(({ turns, file }) => turns === undefined || file === undefined, {
  error: 'A scripted agent has either "turns" or "file", this one has both.',
});

/** Returns turns in order: the first unused one that fits this prompt; undefined when there is none. */
export function scriptReader(turns: readonly ScriptedTurn[]): (prompt: string) => ScriptedTurn | undefined {
  const left = [...turns];
  return (prompt) => {
    const at = left.findIndex(({ match }) => match === undefined || prompt.includes(match));
    const turn = left[at];
    if (turn !== undefined && !turn.repeat) left.splice(at, 1);
    return turn;
  };
}
