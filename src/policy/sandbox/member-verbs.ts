/** Which commands a program in its isolation may give, by the member's own process. All else is refused. */

/** Verbs, with the words and options that a member may use. Options that read a file of the host are in none. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  send: ['--type', '--kind', '--task', '--reply-to', '--broadcast'],
  inbox: ['--max', '--follow', '--history'],
  take: ['--max', '--wait'],
  status: [],
  wisdom: [],
  mcp: [],
  'task create': [
    '--subject',
    '--description',
    '--active-form',
    '--key',
    '--owner',
    '--role',
    '--blocked-by',
    '--prompt',
    '--file',
    '--artifact',
    '--timeout',
    '--retries',
    '--optional',
  ],
  'task list': ['--status', '--owner'],
  'task get': [],
  'task update': ['--subject', '--description', '--active-form', '--owner', '--block', '--unblock'],
  'task claim': ['--next'],
  'task complete': ['--result', '--exit-code', '--file'],
  'task fail': ['--reason', '--exit-code', '--file'],
  'task release': ['--why'],
};
const COMMON = ['--json', '--quiet', '--verbose', '--no-color', '--help', '-h', '-'];
/** Verbs that show mail or the team: words may name only the member and its team. */
const OWN_ONLY = ['inbox', 'take', 'status'];

type Judged =
  | { readonly ok: true; readonly verb: string; readonly argv: readonly string[] }
  | { readonly ok: false; readonly why: string };

/** @param argv without the program's own name */
export function judgeMemberVerb(
  argv: readonly string[],
  { member, team }: { readonly member: string; readonly team: string },
): Judged {
  const isFlag = (word: string): boolean => COMMON.includes(word) && word !== '-';
  const lead = argv.findIndex((word) => !isFlag(word));
  const [first = '', second = ''] = lead < 0 ? [] : argv.slice(lead);
  const verb = first === 'task' ? `task ${second}` : first;
  const options = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (options === undefined) return refused(`\`teams ${verb.trim()}\` is not for a member in its sandbox`);
  const flags = argv.slice(0, lead);
  const rest = argv.slice(lead + (first === 'task' ? 2 : 1));
  // After an option, the command line may take it as the option's value.
  const end = rest.findIndex((word, at) => word === '--' && !options.includes(rest[at - 1] ?? ''));
  const named = (end < 0 ? rest : rest.slice(0, end)).filter((word) => /^-./.test(word));
  const unknown = named.find((word) => {
    const [option = ''] = word.split('=', 1);
    return !COMMON.includes(option) && !options.includes(option) && !/^-\d/.test(word);
  });
  if (unknown !== undefined)
    return refused(`\`teams ${verb}\` takes no ${unknown.split('=', 1)[0]} from a member in its sandbox`);
  const foreign = OWN_ONLY.includes(verb) ? foreignWord(rest, [member, team]) : undefined;
  if (foreign !== undefined)
    return refused(`\`teams ${verb}\` shows a member in its sandbox only its own: not ${foreign}`);
  return { ok: true, verb, argv: [...verb.split(' '), ...flags, ...rest] };
}

const refused = (what: string): Judged => ({ ok: false, why: `${what}; ask the lead with \`teams send team-lead\`.` });

/** A word that is neither one of `own` nor a number. */
const foreignWord = (words: readonly string[], own: readonly string[]): string | undefined =>
  words.find((word) => !word.startsWith('-') && !own.includes(word) && !/^[\d.]+$/.test(word));
