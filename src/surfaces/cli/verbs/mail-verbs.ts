/** Verbs for messages, and verbs that show a team: log, report, page. */
import type { Verb } from '../verb.ts';

const mail: readonly Verb[] = [
  {
    name: 'send',
    summary: 'send a message; when the command returns, the message is on disk',
    words: '[team] [to] [text]',
    options: [
      { flags: '--broadcast <text>', what: 'send this text to every member except the sender' },
      { flags: '--type <type>', what: 'the envelope type: message, shutdown_request … (default: message)' },
      { flags: '--kind <kind>', what: 'the kind of the message, for programs that read it' },
      { flags: '--task <task>', what: 'the task that the message is about' },
      { flags: '--reply-to <id>', what: 'the id of the message that it answers' },
    ],
    examples: [
      { line: "teams send login ada 'Look at the cache first.'", what: 'send to one member; prints the message id' },
      { line: 'git diff | teams send login bob -', what: 'read the text from stdin' },
      { line: "teams send login --broadcast 'Freeze at noon.'", what: 'send to every member' },
    ],
    load: () => import('../commands/mail/send.ts'),
  },
  {
    name: 'answer',
    summary: 'answer a question or a permission that a member asked for; the member then continues',
    words: '[team] [id] [text]',
    examples: [
      {
        line: "teams answer 01KAMQ2S4J5X6Y7Z8A9B0C1D2E 'The second one.'",
        what: 'with the question id that `teams why` shows',
      },
      { line: 'teams answer login 01KAMQ2S4J5X6Y7Z8A9B0C1D2E - <decision.txt', what: 'read the answer from stdin' },
      {
        line: 'teams answer 01KAMQ2S4J5X6Y7Z8A9B0C1D2E always',
        what: 'a permission: yes, no REASON, always, always tool',
      },
    ],
    load: () => import('../commands/mail/answer.ts'),
  },
  {
    name: 'approvals',
    summary: 'list the permissions that agents asked for, and what is allowed for always',
    words: '[team]',
    options: [{ flags: '--remove <n>', what: 'take back what is allowed for always, by its number' }],
    examples: [
      { line: 'teams approvals login', what: 'who asked for what, and how it was answered' },
      { line: 'teams approvals login --remove 1', what: 'ask again from now on' },
    ],
    load: () => import('../commands/teams/approvals.ts'),
  },
  {
    name: 'inbox',
    summary: 'show the unread mail of a member; nothing is consumed',
    words: '[team] [name]',
    options: [
      { flags: '--max <n>', what: 'show at most this many messages' },
      { flags: '--follow', what: 'also show messages that arrive later' },
      { flags: '--history', what: 'show acknowledged messages instead of unread ones' },
    ],
    examples: [
      { line: 'teams inbox', what: "the lead's inbox, if there is only one team" },
      { line: 'teams inbox login ada --max 20', what: 'the 20 oldest unread messages of ada' },
      { line: 'teams inbox login --follow --json', what: 'one JSON message per line, as they arrive' },
    ],
    load: () => import('../commands/mail/inbox.ts'),
  },
  {
    name: 'take',
    summary: 'take mail out of an inbox: print it, then acknowledge it',
    words: '[team] [name]',
    options: [
      { flags: '--max <n>', what: 'take at most this many messages' },
      { flags: '--wait [seconds]', what: 'wait for a message; exit 124 if none arrives in time' },
    ],
    examples: [
      { line: 'teams take login ada --json', what: 'all unread mail of ada' },
      { line: 'teams take --max 1 --wait=30', what: 'the next message; wait at most 30 seconds' },
    ],
    load: () => import('../commands/mail/take.ts'),
  },
];

const looking: readonly Verb[] = [
  {
    name: 'watch',
    summary: 'show a team live in the terminal: members, board, messages, problems',
    words: '[team]',
    options: [
      { flags: '--plain', what: 'print plain lines instead of a full screen: for pipes and screen readers' },
      { flags: '--from <moment>', what: 'move through the past, from this event or time on, and play it' },
    ],
    examples: [
      { line: 'teams watch', what: 'the only team; q quits, ? lists the keys' },
      {
        line: 'teams watch login --from 19:03',
        what: 'its past: left and right, space plays, + and - change the speed',
      },
      { line: 'teams watch login --plain', what: 'plain lines, for a screen reader' },
    ],
    load: () => import('../commands/views/watch.ts'),
  },
  {
    name: 'log',
    summary: 'show the events of a team, or append a record for a session',
    words: '[team]',
    options: [
      { flags: '--follow', what: 'also show later events, until the team is closed' },
      { flags: '--since <n>', what: 'show only events after number n' },
      {
        flags: '--session <id>',
        what: 'append a record for this session instead of reading; needs --from, --type and --summary',
      },
      { flags: '--from <role>', what: 'the role that writes the record' },
      { flags: '--to <name>', what: 'the recipient (default: coordinator)' },
      { flags: '--type <type>', what: "one of the role's message types" },
      { flags: '--summary <text>', what: 'the text of the record' },
      { flags: '--ref <path>', what: 'the artifact that the record is about' },
    ],
    examples: [
      { line: 'teams log login --follow', what: 'show events as they happen' },
      {
        line: "teams log --session TLS-login-2026-02-27 --from writer --type draft_ready --summary '[writer] DRAFT-001 complete.'",
        what: 'append one record to the message bus; prints its number',
      },
      { line: 'teams log login --json --since 40', what: 'events 41 and later, one JSON object per line' },
    ],
    load: () => import('../commands/views/log.ts'),
  },
  {
    name: 'wisdom',
    summary: 'show the notes of a session, or add a note',
    words: '[team] [file] [text]',
    examples: [
      { line: 'teams wisdom tls-login-2026-02-27', what: 'show learnings, decisions, conventions and issues' },
      {
        line: "teams wisdom decisions 'Sessions live in the database.'",
        what: 'add a bullet to decisions, unless it exists already',
      },
    ],
    load: () => import('../commands/mail/wisdom.ts'),
  },
  {
    name: 'logs',
    summary: 'show what agents print: of all members, of one, or of one task',
    words: '[team] [member]',
    options: [
      { flags: '--task <task>', what: 'only the output of this task, attempt by attempt' },
      { flags: '--follow', what: 'also show later output' },
    ],
    examples: [
      { line: 'teams logs login', what: 'the output of all members so far' },
      { line: 'teams logs login ada', what: 'the output of one member so far' },
      { line: 'teams logs login --task 3', what: 'the output of task 3' },
      { line: 'teams logs ada --follow', what: 'the output as it arrives, if there is only one team' },
    ],
    load: () => import('../commands/views/logs.ts'),
  },
  {
    name: 'ui',
    summary: 'serve a page for the browser: board, timeline, mail, spending; answer and send from there',
    words: '[team]',
    options: [{ flags: '--port <port>', what: 'listen on this local port (default: any free port)' }],
    examples: [
      { line: 'teams ui', what: 'print the address and serve the page until Ctrl-C' },
      { line: 'teams ui login --port 7000', what: 'open with team login, on port 7000' },
    ],
    load: () => import('../commands/views/ui.ts'),
  },
  {
    name: 'why',
    summary: 'explain what a team, a member or a task waits for, and who must act next',
    words: '[team] [subject]',
    examples: [
      { line: 'teams why', what: 'the only team' },
      { line: 'teams why login ada', what: 'one member' },
      { line: 'teams why login 3', what: 'one task' },
    ],
    load: () => import('../commands/views/why.ts'),
  },
  {
    name: 'at',
    summary: 'show the board, the members and the mail as they stood at a moment of the past',
    words: '[team] [moment]',
    examples: [
      { line: 'teams at login 15', what: 'after event 15 of `teams log login`' },
      { line: 'teams at login 19:03:56', what: 'when a clock here last showed that time; ISO 8601 works, too' },
      { line: 'teams at login b12 --json', what: 'after line 12 of .tasks/login/log.jsonl, as JSON' },
    ],
    load: () => import('../commands/views/at.ts'),
  },
  {
    name: 'replay',
    summary:
      'judge the recorded looks and turns of a team again, without a model; exit 1 if anything is decided differently',
    words: '[team]',
    options: [
      {
        flags: '--save-test <file>',
        what: 'write the recording into a file that `teams replay FILE.json` judges again',
      },
    ],
    examples: [
      { line: 'teams replay login', what: 'whether this version of teams would decide the same' },
      { line: 'teams replay login --save-test login.json', what: 'keep the run as a test' },
      { line: 'teams replay ./login.json', what: 'run that test' },
    ],
    load: () => import('../commands/views/replay.ts'),
  },
  {
    name: 'report',
    summary: 'report the results of a team so far',
    words: '[team]',
    examples: [
      { line: 'teams report login', what: 'members, tasks, gates, time' },
      { line: 'teams report login --json', what: 'as JSON' },
    ],
    load: () => import('../commands/views/report.ts'),
  },
  {
    name: 'export',
    summary: 'export a run as one self-contained HTML page: timeline, board, mail',
    words: '[team]',
    options: [{ flags: '--out <file>', what: 'write to this file instead of stdout' }],
    examples: [
      { line: 'teams export login --out login.html', what: 'a file to share or to archive' },
      { line: 'teams export login --json', what: 'as JSON' },
    ],
    load: () => import('../commands/views/export.ts'),
  },
  {
    name: 'diff',
    summary: 'show what a run has changed in the repository since it began',
    words: '[team] [task]',
    examples: [
      { line: 'teams diff login', what: 'all changes, with untracked files' },
      { line: 'teams diff login 3', what: 'changes to the files of task 3' },
    ],
    load: () => import('../commands/views/diff.ts'),
  },
  {
    name: 'apply',
    summary: "bring what landed into the project's files, where members have trees of their own",
    words: '[team]',
    options: [
      {
        flags: '--branch <name>',
        what: 'make a new branch of it on HEAD, one commit a task, instead; your files stay as they are',
      },
      { flags: '--push <remote>', what: 'the branch, pushed there, and a pull request: as `teams pr` does' },
      { flags: '--task <task>', what: 'only the change of this task' },
    ],
    examples: [
      {
        line: 'teams apply login',
        what: 'all that landed since the last time; nothing if one of your own edits conflicts',
      },
      { line: 'teams apply', what: 'the team that ended last and is not applied' },
      { line: 'teams apply login --branch login-work', what: 'commits to review, to push or to merge' },
    ],
    load: () => import('../commands/views/apply.ts'),
  },
  {
    name: 'pr',
    summary: 'push a branch of what landed with your own git, and open a pull request with `gh` or `glab`',
    words: '[team]',
    options: [
      { flags: '--branch <name>', what: 'its name (default: that of the team)' },
      { flags: '--remote <name>', what: 'where it is pushed to (default: that of your branch, or origin)' },
      { flags: '--task <task>', what: 'only the change of this task' },
    ],
    examples: [
      { line: 'teams pr login', what: 'one commit a task on HEAD; your files stay as they are' },
      { line: 'teams pr login --branch login-work --remote fork', what: 'to another remote' },
    ],
    load: () => import('../commands/views/pr.ts'),
  },
  {
    name: 'undo',
    summary: 'take back what a run has changed in the repository, and nothing else',
    words: '[team] [task]',
    options: [{ flags: '--redo', what: 'take the undo back' }],
    examples: [
      { line: 'teams undo login', what: 'show what would be taken back, and ask' },
      { line: 'teams undo login 3 --yes', what: 'only the change of task 3, without a question' },
      { line: 'teams undo login --redo', what: 'bring the changes back' },
    ],
    load: () => import('../commands/views/undo.ts'),
  },
];

export const talk: readonly Verb[] = [...mail, ...looking];
