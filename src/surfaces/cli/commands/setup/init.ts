/**
 * `teams init`: writes a plan that runs, a project's configuration, all of it commented out, and git excludes. With `--host` it adds our
 * entry to an MCP host's configuration. It lists the changes before it writes, and overwrites nothing.
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
} from '../../../../app.ts';
import { confirmed } from '../../input/confirm.ts';
import type { CliContext } from '../../context.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { rootOf } from '../../input/root.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ host: z.enum(MCP_HOSTS).optional(), print: flag });

export const act: Act = async (context, given) => {
  const { host, print } = readOptions(schema, given);
  noMore(given.words);
  if (host === undefined && print) throw new UsageError('USAGE', '--print needs --host; name the host.');
  // A project is set up in the current directory, even if a parent directory has one.
  const root = context.flags.root === undefined ? context.io.cwd : rootOf(context);
  if (host === undefined) await project(context, root);
  else if (print) printEntry(context, host);
  else await mcpHost(context, host, root);
  return 0;
};

async function project(context: CliContext, root: string): Promise<void> {
  const changes = initPlan(root);
  for (const { file, what } of changes) context.info(`${file}: ${what}`);
  if (changes.length === 0) context.info('Nothing to write: everything exists already.');
  const isWanted = changes.length > 0 && (await isAgreed(context));
  const warning = isWanted ? initProject(root) : undefined;
  if (warning !== undefined) context.warn(warning);
  if (isWanted) context.info('Next: `teams run` runs the plan, `teams doctor` checks this machine.');
  context.result({ root, changes, written: isWanted }, '');
}

function printEntry(context: CliContext, host: (typeof MCP_HOSTS)[number]): void {
  const entry = printedEntry(host, context.io.environment);
  context.result({ host, entry }, entry);
}

async function mcpHost(context: CliContext, host: (typeof MCP_HOSTS)[number], root: string): Promise<void> {
  const setup = hostSetup(host, root, context.io.environment);
  const { file, entry } = setup;
  if (setup.text === undefined) context.info(`${file} already has a server "teams"; it is not changed.`);
  else context.info(`${file} will get:\n${entry}`);
  const isWanted = setup.text !== undefined && (await isAgreed(context));
  if (isWanted) writeHostSetup(setup);
  context.result({ host, file, entry, written: isWanted }, '');
}

const isAgreed = async (context: CliContext): Promise<boolean> =>
  !context.isInteractive || (await confirmed(context, 'Write this?'));
