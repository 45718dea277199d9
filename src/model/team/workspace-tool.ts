/**
 * The four tools for a directory, as data (docs/specification.md R6.1): a shell and three for files.
 * `policy/sandbox/effective-sandbox.ts` and `policy/sandbox/workspace-path.ts` decide what they may touch;
 * `runtime/tools/file-tools.ts` and `runtime/tools/tool-workspace.ts` carry them out.
 */
import * as z from 'zod';
import { closed } from '../text/document-problem.ts';

/** Seconds that a command may take if the call names no time-out. */
export const DEFAULT_COMMAND_S = 120;
const LONGEST_COMMAND_S = 3_600;
/** Lines of a page if the call names no limit. */
export const DEFAULT_LINES = 2_000;
/** The most bytes of one page. */
export const PAGE_BYTES = 256 * 1024;

const path = z
  .string()
  .min(1)
  .max(4_096)
  .refine((text) => !text.includes('\0'), 'Expected "path" to have no NUL character.')
  .describe('A file of the workspace: relative to its root, or absolute and below it.');
const content = (what: string) => z.string().max(1_048_576).describe(what);

export const workspaceSchemas = {
  bash: closed({
    command: z
      .string()
      .min(1)
      .max(65_536)
      .refine((text) => !text.includes('\0'), 'Expected "command" to have no NUL character.')
      .describe('A text for /bin/sh.'),
    timeout: z
      .number()
      .min(0.1)
      .max(LONGEST_COMMAND_S)
      .describe(`Seconds after which it is stopped; default: ${DEFAULT_COMMAND_S}.`)
      .optional(),
  }),
  read_file: closed({
    path,
    offset: z.int().min(1).max(1_000_000_000).describe('The first line that is wanted, from 1.').optional(),
    limit: z.int().min(1).max(100_000).describe(`Lines at most; default: ${DEFAULT_LINES}.`).optional(),
  }),
  write_file: closed({ path, content: content('The whole text of the file.') }),
  edit_file: closed({
    path,
    old_text: content('What stands there now, to the letter, without line numbers.').min(1),
    new_text: content('What is to stand in its place.'),
    replace_all: z.boolean().describe('Replace every occurrence; default: there must be exactly one.').optional(),
  }),
};

export type WorkspaceTool = keyof typeof workspaceSchemas;

export const workspaceFacts = {
  bash: {
    title: 'Run a command',
    description:
      'Runs a command in the workspace and answers with what it printed (of long output the beginning and the end) when it ends well. Each command starts in the root of the workspace, in a shell of its own: a cd or a variable does not outlast it. What it leaves running is ended with it. Stdin is empty. Errors: EXIT (its code, and what it printed), TIMEOUT, POLICY_DENIED.',
    effect: 'ends',
  },
  read_file: {
    title: 'Read a file',
    description:
      'Reads a text file of the workspace, each line behind its number and a tab, a page of at most 256 KiB at a time; the last line of the answer says where the next page begins. A directory is listed. Errors: POLICY_DENIED (outside the workspace, or a protected path), USAGE (no such file, not a text).',
    effect: 'looks',
  },
  write_file: {
    title: 'Write a file',
    description:
      'Writes a file of the workspace whole, in one step; directories on the way are made. What it had before is gone. At most 1,048,576 characters. Errors: POLICY_DENIED (outside the workspace, a protected path, or nothing may be written now), USAGE.',
    effect: 'changes',
  },
  edit_file: {
    title: 'Edit a file',
    description:
      'Replaces a piece of text in a file of the workspace. old_text must stand there exactly once: give enough lines around it, or replace_all. Errors: USAGE (old_text is not there, or is there more than once, with the lines), POLICY_DENIED.',
    effect: 'changes',
  },
} as const;

/** Other names of the same parameters: those of Claude Code. */
export const workspaceAliases = {
  read_file: { file_path: 'path' },
  write_file: { file_path: 'path' },
  edit_file: { file_path: 'path', old_string: 'old_text', new_string: 'new_text' },
} as const;
