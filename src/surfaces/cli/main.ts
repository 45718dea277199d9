/**
 * The command line: argv in, exit code out. This file loads only what `--help` and `--version` need; verbs are loaded
 * on demand.
 */
import { CommanderError } from 'commander';
import { processIo, type CliIo } from './io.ts';
import { program } from './commander-program.ts';
import { verbs } from './verbs/all-verbs.ts';

/**
 * @param argv without the program's own name
 * @returns the exit code (docs/specification.md R11.3)
 */
export async function main(argv: readonly string[], io: CliIo = processIo()): Promise<number> {
  const code = await run(argv, io).catch(async (error: unknown) => {
    const { fail } = await import('./cli-failure.ts');
    return fail(error, { json: argv.includes('--json'), verbose: false }, io);
  });
  return io.own === undefined ? code : io.own.end(code);
}

async function run(given: readonly string[], io: CliIo): Promise<number> {
  const argv = SHORT_VERSION.has(given[0] ?? '') ? ['--version', ...given.slice(1)] : given;
  if (process.platform === 'win32') {
    io.stderr.write('teams: Windows is not supported; run it inside WSL.\n');
    return 2;
  }
  if (argv[0] === 'complete')
    return (await import('./completion/shell-completion.ts')).complete(argv.slice(argv[1] === '--' ? 2 : 1), io);
  // TERMINAL_VERB of runtime/process/terminal-process.ts.
  if (argv[0] === 'internal-terminal') return (await import('./output/terminal-verb.ts')).showTerminal(io);
  if (isBare(argv)) return (await import('./getting-started.ts')).firstSteps(io, argv.includes('--json'));
  let code = 0;
  const matching = verbs.filter(({ name }) => name.split(' ', 1)[0] === argv[0]);
  // Register every verb only for --help or an unknown verb: registering all of them costs start-up time.
  const needsAllVerbs = matching.length === 0 && argv[0] !== '--version';
  const parser = program(needsAllVerbs ? verbs : matching, io.stdout, async (verb, given) => {
    const { perform } = await import('./run-verb.ts');
    code = await perform(verb, given, io);
  });
  try {
    await parser.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    const { usageErrorOf } = await import('./usage-errors.ts');
    return usageErrorOf(error, argv, io);
  }
}

const SHORT_VERSION = new Set(['-v', '-V']);

/** True when argv holds at most common flags and no verb. */
function isBare(argv: readonly string[]): boolean {
  try {
    const { operands, unknown } = program([], { write: () => {} }, async () => {}).parseOptions([...argv]);
    return operands.length === 0 && unknown.length === 0;
  } catch {
    // `--version`, or a usage error: the full parse reports it.
    return false;
  }
}
