/** Verbs of talking and looking: messages, logs, reports. */
import type { Verb } from '../verb.ts';

const mail: readonly Verb[] = [
  {
    name: 'send',
    summary: 'send a message; it is on disk when this returns',
    words: '[team] [to] [text]',
    options: [
      { flags: '--broadcast <text>', what: 'to every member but oneself' },
      { flags: '--type <type>', what: 'message, shutdown_request … (default: message)' },
      { flags: '--kind <kind>', what: 'what the message is, for programs' },
      { flags: '--task <task>', what: 'the task that it is about' },
      { flags: '--reply-to <id>', what: 'the message that it answers' },
    ],
    examples: [
      { line: "teams send login ada 'Look at the cache first.'", what: 'to one member; prints the id' },
      { line: 'git diff | teams send login bob -', what: 'the text is on stdin' },
      { line: "teams send login --broadcast 'Freeze at noon.'", what: 'to each of them' },
    ],
    load: () => import('../commands/mail/send.ts'),
  },
  {
    name: 'answer',
    summary: 'answer what a member asked the lead; it goes on then',
    words: '[team] [id] [text]',
    examples: [
      { line: "teams answer 01KAMQ2S4J5X6Y7Z8A9B0C1D2E 'The second one.'", what: 'by the id that `teams why` shows' },
      { line: 'teams answer login 01KAMQ2S4J5X6Y7Z8A9B0C1D2E - <decision.txt', what: 'the answer is on stdin' },
    ],
    load: () => import('../commands/mail/answer.ts'),
  },
  {
    name: 'inbox',
    summary: 'look into an inbox; nothing is consumed',
    words: '[team] [name]',
    options: [
      { flags: '--max <n>', what: 'at most so many messages' },
      { flags: '--follow', what: 'and what comes later' },
      { flags: '--history', what: 'what was acknowledged instead' },
    ],
    examples: [
      { line: 'teams inbox', what: "the lead's, in the only team there is" },
      { line: 'teams inbox login ada --max 20', what: 'the oldest that wait for ada' },
      { line: 'teams inbox login --follow --json', what: 'one message a line, as they come' },
    ],
    load: () => import('../commands/mail/inbox.ts'),
  },
  {
    name: 'take',
    summary: 'take mail out of an inbox: printed, then acknowledged',
    words: '[team] [name]',
    options: [
      { flags: '--max <n>', what: 'at most so many messages' },
      { flags: '--wait [seconds]', what: 'until there is one; exit 124 when there was none in time' },
    ],
    examples: [
      { line: 'teams take login ada --json', what: 'all that waits for ada' },
      { line: 'teams take --max 1 --wait=30', what: 'the next message, within 30 seconds' },
    ],
    load: () => import('../commands/mail/take.ts'),
  },
];

const looking: readonly Verb[] = [
  {
    name: 'watch',
    summary: 'a team live on the terminal: members, board, messages, problems',
    words: '[team]',
    options: [{ flags: '--plain', what: 'lines one after the other instead: for pipes and screen readers' }],
    examples: [
      { line: 'teams watch', what: 'the only team there is; q leaves, ? tells the keys' },
      { line: 'teams watch login --plain', what: 'for a screen reader' },
    ],
    load: () => import('../commands/views/watch.ts'),
  },
  {
    name: 'log',
    summary: 'what happened in a team',
    words: '[team]',
    options: [
      { flags: '--follow', what: 'and what happens later, until the team is closed' },
      { flags: '--since <n>', what: 'only what came after event number n' },
      { flags: '--session <id>', what: 'write a record for this session instead of reading; needs what follows' },
      { flags: '--from <role>', what: 'who says it' },
      { flags: '--to <name>', what: 'who is told (default: coordinator)' },
      { flags: '--type <type>', what: "one of the role's message types" },
      { flags: '--summary <text>', what: 'what there is to say' },
      { flags: '--ref <path>', what: 'the artifact that it is about' },
    ],
    examples: [
      { line: 'teams log login --follow', what: 'as it happens' },
      {
        line: "teams log --session TLS-login-2026-02-27 --from writer --type draft_ready --summary '[writer] DRAFT-001 complete.'",
        what: 'one record of the message bus, with its number',
      },
      { line: 'teams log login --json --since 40', what: 'events 41 and later, one JSON object a line' },
    ],
    load: () => import('../commands/views/log.ts'),
  },
  {
    name: 'wisdom',
    summary: 'what a session has learned, or something new for it',
    words: '[team] [file] [text]',
    examples: [
      { line: 'teams wisdom tls-login-2026-02-27', what: 'learnings, decisions, conventions and issues' },
      {
        line: "teams wisdom decisions 'Sessions live in the database.'",
        what: 'a bullet more, if it is not there yet',
      },
    ],
    load: () => import('../commands/mail/wisdom.ts'),
  },
  {
    name: 'logs',
    summary: "what a member's agent printed",
    words: '[team] [member]',
    options: [{ flags: '--follow', what: 'and what it prints later' }],
    examples: [
      { line: 'teams logs login ada', what: 'so far' },
      { line: 'teams logs ada --follow', what: 'as it comes, in the only team there is' },
    ],
    load: () => import('../commands/views/logs.ts'),
  },
  {
    name: 'ui',
    summary: 'a page in the browser: board, timeline, mail, spending; answer and send from there',
    words: '[team]',
    options: [{ flags: '--port <port>', what: 'on this port of this machine (default: any that is free)' }],
    examples: [
      { line: 'teams ui', what: 'prints the address, and serves it until Ctrl-C' },
      { line: 'teams ui login --port 7000', what: 'one team first, on a port of your choice' },
    ],
    load: () => import('../commands/views/ui.ts'),
  },
  {
    name: 'why',
    summary: 'what a team, a member or a task waits for, and whose move it is',
    words: '[team] [subject]',
    examples: [
      { line: 'teams why', what: 'the team' },
      { line: 'teams why login ada', what: 'a member' },
      { line: 'teams why login 3', what: 'a task' },
    ],
    load: () => import('../commands/views/why.ts'),
  },
  {
    name: 'report',
    summary: 'what came of a team so far',
    words: '[team]',
    examples: [
      { line: 'teams report login', what: 'members, tasks, gates, time' },
      { line: 'teams report login --json', what: 'for a program' },
    ],
    load: () => import('../commands/views/report.ts'),
  },
  {
    name: 'export',
    summary: 'a run as one page that needs nothing else: timeline, board, mail',
    words: '[team]',
    options: [{ flags: '--out <file>', what: 'write it there instead of to stdout' }],
    examples: [
      { line: 'teams export login --out login.html', what: 'to be sent to somebody, or kept' },
      { line: 'teams export login --json', what: 'for a program' },
    ],
    load: () => import('../commands/views/export.ts'),
  },
  {
    name: 'diff',
    summary: 'what a run has changed in the repository since it began',
    words: '[team] [task]',
    examples: [
      { line: 'teams diff login', what: 'all of it, untracked files too' },
      { line: 'teams diff login 3', what: 'the files of a task' },
    ],
    load: () => import('../commands/views/diff.ts'),
  },
];

export const talk: readonly Verb[] = [...mail, ...looking];
