/**
 * Where a command of the user's own runs that judges nothing: a hook, a subscriber (docs/decisions/087). Members in a
 * sandbox may write the workspace, so it may not run with the user's rights what lies there. It is known only which
 * paths the text of a command names; so a command that names none runs outside of the workspace.
 */
import { argvOf, type Command } from '../../model/agent/agent.ts';

interface CommandSurroundings {
  /** The workspace, as it is written and without symbolic links. */
  readonly roots: readonly string[];
  readonly home: string;
  /** The environment of the command. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

interface NamedPaths {
  /** The text contains a path of the workspace, or one that begins at the working directory. */
  readonly namesWorkspace: boolean;
  /** Absolute paths, which may be links into the workspace. */
  readonly absolute: readonly string[];
  /** Names that may be a file of the working directory, or a program on PATH. */
  readonly plain: readonly string[];
}

/** What separates words of a shell, and values of options and variables. */
const SEPARATORS = /[\s;|&()<>"'`=:,]+/;
const VARIABLE = /\$(?:\{(\w+)\}|(\w+))/g;
const RELATIVE = /^\.{1,2}(?:\/|$)/;

export function namedPaths(command: Command, { roots, home, variables }: CommandSurroundings): NamedPaths {
  const text = argvOf(command)
    .join(' ')
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(VARIABLE, (_, braced?: string, plain?: string) => variables[braced ?? plain ?? ''] ?? '');
  const words = text.split(SEPARATORS).map((word) => (/^~(?:\/|$)/.test(word) ? `${home}${word.slice(1)}` : word));
  return {
    namesWorkspace: roots.some((root) => contains(text, root)) || words.some((word) => RELATIVE.test(word)),
    absolute: words.filter((word) => word.startsWith('/')),
    plain: words.filter((word) => word !== '' && !word.startsWith('/') && !word.startsWith('-')),
  };
}

/** Also a path with blanks, which is not one word. */
function contains(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1))
    if (!/[\w.-]/.test(text[at + path.length] ?? '')) return true;
  return false;
}
