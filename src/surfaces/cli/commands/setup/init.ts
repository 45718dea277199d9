/**
 * `teams init`: a project's configuration, all of it commented out, and git excludes; with `--host` our entry in an MCP
 * host's configuration. It tells before it writes, and nothing is overwritten.
 */
import * as z from 'zod';
import {
  hostSetup,
  initPlan,
  initProject,
  MCP_HOSTS,
  printedEntry,
  UsageError,
  writeHostSetup,
} from '../../../../index.ts';
import { confirmed } from '../../input/confirm.ts';
import type { Frame } from '../../context.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { rootOf } from '../../input/root.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ host: z.enum(MCP_HOSTS).optional(), print: flag });

export const act: Act = async (frame, given) => {
  const { host, print } = readOptions(schema, given);
  noMore(given.words);
  if (host === undefined && print) throw new UsageError('USAGE', '--print belongs to --host; say which host.');
  // A project is set up where one stands, whatever stands above it.
  const root = frame.flags.root === undefined ? frame.outside.cwd : rootOf(frame);
  if (host === undefined) await project(frame, root);
  else if (print) printEntry(frame, host);
  else await mcpHost(frame, host, root);
  return 0;
};

async function project(frame: Frame, root: string): Promise<void> {
  const changes = initPlan(root);
  for (const { file, what } of changes) frame.say(`${file}: ${what}`);
  if (changes.length === 0) frame.say('Everything is there already.');
  const isWanted = changes.length > 0 && (await isAgreed(frame));
  if (isWanted) initProject(root);
  frame.answer({ root, changes, written: isWanted }, '');
}

function printEntry(frame: Frame, host: (typeof MCP_HOSTS)[number]): void {
  const entry = printedEntry(host, frame.outside.environment);
  frame.answer({ host, entry }, entry);
}

async function mcpHost(frame: Frame, host: (typeof MCP_HOSTS)[number], root: string): Promise<void> {
  const setup = hostSetup(host, root, frame.outside.environment);
  const { file, entry } = setup;
  if (setup.text === undefined) frame.say(`${file} has a server "teams" already; it stays as it is.`);
  else frame.say(`${file} gets:\n${entry}`);
  const isWanted = setup.text !== undefined && (await isAgreed(frame));
  if (isWanted) writeHostSetup(setup);
  frame.answer({ host, file, entry, written: isWanted }, '');
}

const isAgreed = async (frame: Frame): Promise<boolean> =>
  !frame.isInteractive || (await confirmed(frame, 'Write this?'));
