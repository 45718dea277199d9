/**
 * The command line: argv in, exit code out. Here is only what `--help` and `--version` need; whatever else is asked for
 * is loaded then.
 */
import { CommanderError } from 'commander';
import { ownOutside, type Output, type Outside } from './outside.ts';
import { program } from './program.ts';
import { verbs } from './verbs/index.ts';

/**
 * @param argv without the program's own name
 * @returns the exit code, see SPEC §12
 */
export async function main(argv: readonly string[], outside: Outside = ownOutside()): Promise<number> {
  if (process.platform === 'win32') {
    outside.stderr.write('teams: Windows is not supported; run it inside WSL.\n');
    return 2;
  }
  if (argv[0] === 'complete')
    return (await import('./complete.ts')).complete(argv.slice(argv[1] === '--' ? 2 : 1), outside);
  let code = 0;
  const build = (output: Output) =>
    program(verbs, output, async (verb, given) => {
      const { perform } = await import('./perform.ts');
      code = await perform(verb, given, outside);
    });
  if (isBare(build, argv)) return (await import('./first-steps.ts')).firstSteps(outside, argv.includes('--json'));
  try {
    await build(outside.stdout).parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    const { misused } = await import('./misuse.ts');
    return misused(error, argv, outside);
  }
}

/** Common flags at most: nobody asked for anything yet. */
function isBare(build: (output: Output) => ReturnType<typeof program>, argv: readonly string[]): boolean {
  try {
    const { operands, unknown } = build({ write: () => {} }).parseOptions([...argv]);
    return operands.length === 0 && unknown.length === 0;
  } catch {
    // `--version`, or what is wrong: the real parse says it.
    return false;
  }
}
