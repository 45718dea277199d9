/** Shell completion: the script that a shell loads, and the answers to its queries at each TAB. */
import type { RootCommand } from '@bomb.sh/tab';
import type { CliIo } from './io.ts';
import { program } from './commander-program.ts';
import { verbs } from './verbs/all-verbs.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'];

export const isShell = (word: string): boolean => SHELLS.includes(word);
export const shells = SHELLS.join(', ');

async function completer(io: CliIo): Promise<RootCommand> {
  const { default: tab } = await import('@bomb.sh/tab/commander');
  // tab adds its own `completion` verb, so ours is left out. Completion never runs a verb.
  const others = verbs.filter(({ name }) => name !== 'completion');
  const made = tab(
    program(others, io.stdout, () => Promise.resolve()),
    { completionCommandName: 'completion' },
  );
  return made;
}

/** Prints the completion script for a shell. */
export async function printScript(shell: string, io: CliIo): Promise<void> {
  const tab = await completer(io);
  // tab prints to the console; a script that could not be written is said as with every verb.
  const { log } = console;
  console.log = (text: string) => void io.stdout.write(`${text}\n`);
  try {
    tab.setup('teams', 'teams', shell);
  } finally {
    console.log = log;
  }
}

/**
 * Answers `teams complete -- WORD…`.
 * @returns the exit code
 */
export async function complete(words: readonly string[], io: CliIo): Promise<number> {
  (await completer(io)).parse([...words]);
  return 0;
}
