/** Builds commander's program from the table of verbs. It only parses; the caller runs the verb. */
import { Command, Option } from 'commander';
import { COMMON } from './global-options.ts';
import type { OutputStream } from './own-stream.ts';
import type { VerbInput, Verb } from './verb.ts';
import { VERSION } from './version.ts';

export type OnVerb = (verb: Verb, given: VerbInput) => Promise<void>;

const ABOUT = 'Run a team of workers on one task: a lead and its teammates, each a process; all state is plain files.';

/**
 * @param output where help goes
 * @throws CommanderError for a usage error, instead of printing it
 */
export function program(verbs: readonly Verb[], output: OutputStream, onVerb: OnVerb): Command {
  const root = new Command('teams').description(ABOUT).version(VERSION, '-V, --version', 'print the version');
  for (const [flags, what] of COMMON) root.option(flags, what);
  prepare(root, output);
  for (const verb of verbs) addVerb(parentOf(root, verb, output), verb, output, onVerb);
  return root;
}

function prepare(command: Command, output: OutputStream): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: (text) => void output.write(text), writeErr: () => {} })
    .configureHelp({ showGlobalOptions: true })
    .helpOption('-h, --help', 'show this help');
}

const GROUPS: Readonly<Record<string, string>> = {
  task: 'create, change and complete the tasks of a board',
  config: 'show the configuration and where it comes from',
  store: 'set up and check the database of teams on several machines',
};

function parentOf(root: Command, { name }: Verb, output: OutputStream): Command {
  const [group, inner] = name.split(' ');
  if (group === undefined || inner === undefined) return root;
  const known = root.commands.find((command) => command.name() === group);
  if (known) return known;
  const made = root.command(group).description(GROUPS[group] ?? '');
  prepare(made, output);
  return made;
}

function addVerb(parent: Command, verb: Verb, output: OutputStream, onVerb: OnVerb): void {
  const command = parent.command(verb.name.split(' ').at(-1) ?? verb.name).description(verb.summary);
  prepare(command, output);
  if (verb.words !== undefined) command.arguments(verb.words);
  for (const { flags, what, many } of verb.options ?? []) {
    const option = new Option(flags, what);
    command.addOption(many === true ? option.argParser(collect) : option);
  }
  command.addHelpText('after', () => `\nExamples:\n${examplesOf(verb)}`);
  command.action(() => onVerb(verb, { words: command.args, options: command.optsWithGlobals() }));
}

const collect = (value: string, before: unknown): string[] =>
  Array.isArray(before) ? [...before.map(String), value] : [value];

function examplesOf({ examples }: Verb): string {
  const width = Math.max(...examples.map(({ line }) => line.length));
  return examples.map(({ line, what }) => `  ${line.padEnd(width)}   # ${what}`).join('\n');
}
