/** The key `isolation` of a plan and of the configuration: whether members work in trees of their own (docs/isolation.md). */
import * as z from 'zod';
import { processText } from '../agent/agent.ts';
import { defined } from '../text/defined.ts';
import { closed } from '../text/document-problem.ts';

/** `auto`: trees where they help and are possible. */
export const isolationModeSchema = z.enum(['auto', 'trees', 'off']);
export type IsolationMode = z.infer<typeof isolationModeSchema>;

const lentPath = z
  .string()
  .max(4_096)
  .regex(/^[^/\p{Cc}][^\p{Cc}]*$/u, 'Expected a path of the project, relative to its root.')
  .refine(
    (path) => path.split('/').every((part) => !['', '.', '..'].includes(part)),
    'Expected a path of the project, without `.`, `..` and a `/` at its end.',
  );
const command = processText.min(1);
const commands = z.union([command.transform((one) => [one]), z.array(command).max(100)]).prefault([]);

const needs = {
  /** What the project has and git ignores, such as `node_modules`: each tree borrows it. */
  lend: z.array(lentPath).max(100).default([]),
  /** Commands that run in a tree before its first task, and after its last one. */
  setup: commands,
  teardown: commands,
  /** Each change waits for a person before it lands. */
  review: z.literal('person').optional(),
};

/** What each tree of a team gets besides the files that git knows, and who looks at what it made. */
export const treeNeedsSchema = z.object({
  lend: z.array(lentPath),
  setup: z.array(command),
  teardown: z.array(command),
  /** `lead`: the model that leads a team of an MCP host. */
  review: z.enum(['person', 'lead']).optional(),
});
export type TreeNeeds = z.infer<typeof treeNeedsSchema>;

export const isolationSchema = z.union([
  isolationModeSchema,
  closed({ mode: isolationModeSchema.optional(), ...needs }),
]);
type IsolationSetup = z.infer<typeof isolationSchema>;

export const modeOf = (setup: IsolationSetup | undefined): IsolationMode | undefined =>
  typeof setup === 'string' ? setup : setup?.mode;

/** @returns undefined where a tree needs nothing, and nobody looks at what it made */
export function needsOf(setup: IsolationSetup | undefined): TreeNeeds | undefined {
  if (setup === undefined || typeof setup === 'string') return undefined;
  const { lend, setup: before, teardown, review } = setup;
  if (lend.length + before.length + teardown.length === 0 && review === undefined) return undefined;
  return { lend: [...new Set(lend)], setup: before, teardown, ...defined({ review }) };
}

/** What a person configured goes before `review`. */
export const withReview = (needs: TreeNeeds | undefined, review: TreeNeeds['review']): TreeNeeds | undefined =>
  review === undefined || needs?.review !== undefined ? needs : { lend: [], setup: [], teardown: [], ...needs, review };
