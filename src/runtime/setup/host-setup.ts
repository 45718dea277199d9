/** `teams init --host`: finds the configuration file of an MCP host and writes our entry into it. */
import { delimiter, join } from 'node:path';
import { UsageError } from '../../model/text/errors.ts';
import { hostEntryText, withHostEntry, type McpHost } from '../../model/team/host-entry.ts';
import { findProgram } from '../../os/program-path.ts';
import { lookAt, realDisk } from '../../store/files/disk.ts';
import { homeDirectory } from '../../store/user/home.ts';
import { isSameFile, readUserFile } from '../../store/user/user-file.ts';
import { rewriteUserFile } from '../../store/user/user-file-writer.ts';
import { binDirectory, commandLine } from '../process/package.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface HostSetup {
  readonly file: string;
  /** The entry alone. */
  readonly entry: string;
  /** The whole file with the entry; undefined if it has the entry already. */
  readonly text: string | undefined;
}

/** Claude and opencode have a file in each project; Codex and Gemini read servers only from the user's own file. */
const FILES: Readonly<Record<McpHost, (root: string, environment: Environment) => string>> = {
  claude: (root) => join(root, '.mcp.json'),
  codex: (_root, environment) => join(environment['CODEX_HOME'] ?? join(homeOf(environment), '.codex'), 'config.toml'),
  gemini: (_root, environment) => join(homeOf(environment), '.gemini', 'settings.json'),
  opencode: (root) => join(root, 'opencode.json'),
};

const NPM_BIN = join('node_modules', '.bin');

/** A clone can bring a link to a file of the user's. The user's own files may be links. */
const IN_PROJECT: ReadonlySet<McpHost> = new Set(['claude', 'opencode']);

const homeOf = (environment: Environment): string => homeDirectory(environment);

/**
 * What would be written for a host.
 *
 * @throws UsageError `USAGE` for a file that cannot be parsed, and for a link in the project: it stays unchanged
 */
export function hostSetup(host: McpHost, root: string, environment: Environment): HostSetup {
  const file = FILES[host](root, environment);
  const print = `\`teams init --host ${host} --print\` prints the entry to add by hand`;
  if (IN_PROJECT.has(host) && lookAt(realDisk, file)?.isSymbolicLink() === true)
    throw new UsageError('USAGE', `${file} is a link, and is not followed; ${print}.`);
  const command = ourCommand(environment);
  const entry = hostEntryText(host, command);
  const made = withHostEntry(host, readUserFile(file), command);
  if (made.kind === 'unreadable')
    throw new UsageError('USAGE', `${file} ${made.why}, so it is left as it is; ${print}.`);
  return { file, entry, text: made.kind === 'new' ? made.text : undefined };
}

/** The entry alone, for a person to add; reads no file. */
export const printedEntry = (host: McpHost, environment: Environment): string =>
  hostEntryText(host, ourCommand(environment));

export const writeHostSetup = ({ file, text }: HostSetup): void => {
  if (text !== undefined) rewriteUserFile(file, text);
};

/**
 * `teams` if the host finds this program under that name, else the present Node and our file. What `npx` and `npm run`
 * put in front of PATH, the host does not have.
 */
function ourCommand({ PATH = '' }: Environment): [string, ...string[]] {
  const usual = PATH.split(delimiter).filter((entry) => !entry.endsWith(NPM_BIN));
  const found = findProgram('teams', usual.join(delimiter));
  const isUs = found !== undefined && isSameFile(found, join(binDirectory, 'teams.js'));
  return isUs ? ['teams', 'mcp'] : commandLine('mcp');
}
