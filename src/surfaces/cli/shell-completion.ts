/** What a shell asks for at each TAB, and the script that makes it ask. */
import type { RootCommand } from '@bomb.sh/tab';
import type { CliIo } from './io.ts';
import { program } from './commander-program.ts';
import { verbs } from './verbs/all-verbs.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'];

export const isShell = (word: string): boolean => SHELLS.includes(word);
export const shells = SHELLS.join(', ');

async function completer(io: CliIo): Promise<RootCommand> {
  const { default: tab } = await import('@bomb.sh/tab/commander');
  // tab adds verbs of its own, `completion` among them; what is completed is never performed.
  const others = verbs.filter(({ name }) => name !== 'completion');
  const made = tab(
    program(others, io.stdout, () => Promise.resolve()),
    { completionCommandName: 'completion' },
  );
  return made;
}

/** Prints the script for a shell. */
export async function printScript(shell: string, io: CliIo): Promise<void> {
  (await completer(io)).setup('teams', 'teams', shell);
}

/** Answers `teams complete -- WORD…`. @returns the exit code */
export async function complete(words: readonly string[], io: CliIo): Promise<number> {
  (await completer(io)).parse([...words]);
  return 0;
}
