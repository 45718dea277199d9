/** The table of verbs, as commander's program. It parses; what a verb does is handed on. */
import { Command, Option } from 'commander';
import type { OutputStream } from './io.ts';
import type { VerbInput, Verb } from './verb.ts';
import { VERSION } from './version.ts';

export type OnVerb = (verb: Verb, given: VerbInput) => Promise<void>;

const ABOUT = 'A team of workers on one task: a lead and its teammates, each a process, everything else plain files.';

const COMMON: readonly [flags: string, what: string][] = [
  ['--root <dir>', 'the directory that holds .teams (default: the nearest parent with one, else this one)'],
  ['--as <name>', 'speak as this member'],
  ['--json', 'one JSON object on stdout, failures too'],
  ['--quiet', 'no talk, only data and failures'],
  ['--verbose', 'more talk'],
  ['--yes', 'answer every question with yes'],
  ['--no-color', 'no colours'],
];

/** @param output where help goes; what commander would complain about is thrown instead */
export function program(verbs: readonly Verb[], output: OutputStream, onVerb: OnVerb): Command {
  const root = new Command('teams').description(ABOUT).version(VERSION, '--version', 'print the version');
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
    .helpOption('--help', 'show this help');
}

const GROUPS: Readonly<Record<string, string>> = {
  task: 'the board: its tasks, and what becomes of them',
  config: 'the configuration and where it comes from',
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
