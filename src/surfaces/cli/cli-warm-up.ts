/**
 * Runs the most frequent verbs once, for a team in a temporary directory. The build does this so that the code cache
 * holds them compiled.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { CliIo } from './io.ts';
import { main } from './main.ts';
import type { OutputStream } from './own-stream.ts';

const ASKED = [
  'create warm --member ada',
  'task create warm --subject look --owner ada --run true',
  'task list warm',
  'task get warm 1',
  'send warm ada hello',
  'inbox warm ada',
  'take warm ada',
  'status warm',
  'log warm',
  'task claim warm --next --as ada',
  'task release warm 1 --as ada',
  'why warm',
  'list',
  'nonsense',
  'delete warm',
  '--help',
  '--version',
];

type CommandLine = (argv: readonly string[], io: CliIo) => Promise<number | undefined>;

/** The frequent verbs that begin with a word, from their own bundle. */
interface FrequentVerbs {
  readonly word: string;
  readonly run: CommandLine;
}

/**
 * @param frequent runs these verbs instead; the others run as always
 * @throws Error when a verb fails, because then the cache would hold the wrong code
 */
export async function warmUp(frequent?: FrequentVerbs): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'teams-warm-up-'));
  const silent: OutputStream = { write: (_text, done) => done?.() };
  try {
    const outside = {
      stdin: process.stdin,
      stdout: silent,
      stderr: silent,
      cwd,
      gone: new AbortController().signal,
      environment: { ...process.env, HOME: cwd, XDG_STATE_HOME: cwd, XDG_CONFIG_HOME: cwd },
    };
    for (const words of ASKED) {
      const argv = [...words.split(' '), '--root', cwd];
      const run = frequent !== undefined && argv[0] === frequent.word ? frequent.run : main;
      const code = await run(argv, outside);
      if (code !== 0 && words !== 'nonsense') throw new Error(`\`teams ${words}\` ended with ${code} in the warm-up.`);
    }
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
