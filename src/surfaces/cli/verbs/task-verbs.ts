/** Verbs of the board. */
import type { TASK_ACTS } from '../commands/task/task-acts.ts';
import type { Act, Option, Verb } from '../verb.ts';

const taskAct = async (name: keyof typeof TASK_ACTS): Promise<{ act: Act }> => ({
  act: (await import('../commands/task/task-acts.ts')).TASK_ACTS[name],
});

const words = '[team] [task]';
const subject: Option = { flags: '--subject <text>', what: 'what is to be done' };
const description: Option = { flags: '--description <text>', what: 'more about it; - is stdin' };
const activeForm: Option = { flags: '--active-form <text>', what: 'how to say that it is being done' };

const making: readonly Verb[] = [
  {
    name: 'task create',
    summary: 'put a task on the board',
    words: '[team] [subject]',
    options: [
      subject,
      description,
      activeForm,
      { flags: '--key <key>', what: 'a name for it' },
      { flags: '--owner <name>', what: 'for this member only' },
      { flags: '--role <role>', what: 'for members of this role' },
      { flags: '--blocked-by <task>', what: 'what must be done first: an id, key or subject', many: true },
      { flags: '--run <command>', what: 'a command for an exec agent' },
      { flags: '--prompt <text>', what: 'what the agent is told, instead of the description' },
      { flags: '--verify <command>', what: 'must succeed before it counts as done', many: true },
      { flags: '--file <path>', what: 'a file that it is about', many: true },
      { flags: '--artifact <path>', what: 'a file that must be there at the end' },
      { flags: '--env <name=value>', what: 'for its commands', many: true },
      { flags: '--timeout <duration>', what: 'ends an attempt (default: 10m)' },
      { flags: '--retries <n>', what: 'failed attempts that are forgiven (default: 0)' },
      { flags: '--optional', what: 'the run succeeds without it' },
    ],
    examples: [
      { line: "teams task create login 'Write tests' --owner ada", what: 'for ada' },
      { line: "teams task create login 'Review' --blocked-by 1 --blocked-by 2", what: 'after two others' },
      { line: "teams task create 'Run them' --run 'npm test' --timeout 5m", what: 'for an exec agent' },
    ],
    load: () => taskAct('create'),
  },
  {
    name: 'task list',
    summary: 'the board',
    words: '[team]',
    options: [
      { flags: '--status <status>', what: 'pending, in_progress, completed, failed, skipped or cancelled' },
      { flags: '--owner <name>', what: 'whose they are' },
    ],
    examples: [
      { line: 'teams task list login', what: 'every task' },
      { line: 'teams task list --status failed --json', what: 'for a program' },
    ],
    load: () => taskAct('list'),
  },
  {
    name: 'task get',
    summary: 'one task in full, with its history and its result',
    words,
    examples: [
      { line: 'teams task get login 3', what: 'by its id' },
      { line: "teams task get login 'Write tests' --json", what: 'by its subject' },
    ],
    load: () => taskAct('get'),
  },
  {
    name: 'task update',
    summary: 'change the words, the owner or the blockers of a task',
    words,
    options: [
      subject,
      description,
      activeForm,
      { flags: '--owner <name>', what: "its member, or 'nobody'" },
      { flags: '--block <task>', what: 'this one must be done first', many: true },
      { flags: '--unblock <task>', what: 'this one need not', many: true },
    ],
    examples: [
      { line: 'teams task update login 3 --owner bob', what: 'give it to bob' },
      { line: 'teams task update login 3 --block 2', what: 'after task 2' },
    ],
    load: () => taskAct('update'),
  },
];

const working: readonly Verb[] = [
  {
    name: 'task claim',
    summary: 'take a task to work on it',
    words,
    options: [{ flags: '--next', what: 'the first that is ready' }],
    examples: [
      { line: 'teams task claim login 3 --as ada', what: 'for ada, who has no process' },
      { line: 'teams task claim login --next --as ada', what: 'lowest id first' },
    ],
    load: () => taskAct('claim'),
  },
  {
    name: 'task complete',
    summary: 'say that a task is done',
    words,
    options: [
      { flags: '--result <text>', what: 'what came of it; - is stdin' },
      { flags: '--exit-code <n>', what: 'of the command that did it' },
      { flags: '--file <path>', what: 'a file that changed', many: true },
    ],
    examples: [
      { line: "teams task complete login 3 --result 'Fixed in auth.ts.'", what: 'with what came of it' },
      {
        line: 'teams task complete $TEAMS_TASK_ID',
        what: 'inside a teammate: runs its verify commands, tells the runner',
      },
    ],
    load: () => taskAct('complete'),
  },
  {
    name: 'task fail',
    summary: 'say that a task failed',
    words,
    options: [
      { flags: '--reason <text>', what: 'why; - is stdin' },
      { flags: '--exit-code <n>', what: 'of the command that failed' },
      { flags: '--file <path>', what: 'a file that changed', many: true },
    ],
    examples: [
      { line: "teams task fail login 3 --reason 'The API is gone.'", what: 'with the reason' },
      { line: 'make 2>&1 | tail -5 | teams task fail login 3 --reason -', what: 'the reason is on stdin' },
    ],
    load: () => taskAct('fail'),
  },
  {
    name: 'task release',
    summary: 'give a task back, so that another may claim it',
    words,
    options: [{ flags: '--why <text>', what: 'for the log' }],
    examples: [
      { line: 'teams task release login 3 --as ada', what: "ada's claim ends" },
      { line: "teams task release 3 --why 'needs a key'", what: 'with the reason' },
    ],
    load: () => taskAct('release'),
  },
];

const deciding: readonly Verb[] = [
  {
    name: 'task retry',
    summary: 'let a failed task be tried again',
    words,
    examples: [
      { line: 'teams task retry login 3', what: 'it is pending again' },
      { line: 'teams task retry 3 --json', what: 'prints {task}' },
    ],
    load: () => taskAct('retry'),
  },
  {
    name: 'task skip',
    summary: 'go on without a task',
    words,
    options: [
      { flags: '--cascade', what: 'and without all that waits for it' },
      { flags: '--why <text>', what: 'for the log' },
    ],
    examples: [
      { line: 'teams task skip login 3', what: 'what waits for it becomes ready' },
      { line: 'teams task skip login 3 --cascade', what: 'that is skipped too' },
    ],
    load: () => taskAct('skip'),
  },
  {
    name: 'task unblock',
    summary: 'let a task go ahead of its blockers',
    words: '[team] [task] [blocker]',
    examples: [
      { line: 'teams task unblock login 3', what: 'of all of them' },
      { line: 'teams task unblock login 3 2', what: 'only of task 2' },
    ],
    load: () => taskAct('unblock'),
  },
  {
    name: 'task approve',
    summary: 'approve the plan of a member, or finished work that was not agreed to',
    words: '[team] [task] [text]',
    examples: [
      { line: 'teams task approve login 3', what: 'its member begins; or what waits for it goes on' },
      { line: "teams task approve login 3 'Keep the API.'", what: 'with a word on the way' },
    ],
    load: () => taskAct('approve'),
  },
  {
    name: 'task refuse',
    summary: 'refuse the plan of a member that waits for approval',
    words: '[team] [task] [text]',
    examples: [
      {
        line: "teams task refuse login 3 'Too large; only the parser.'",
        what: 'it plans anew, if the task has retries left',
      },
      { line: 'teams task refuse login 3 - < review.txt', what: 'the reason is on stdin' },
    ],
    load: () => taskAct('refuse'),
  },
  {
    name: 'task revise',
    summary: 'have finished work done again, and what was made from it',
    words: '[team] [task] [text]',
    examples: [
      { line: "teams task revise login DRAFT-002 'The costs are missing.'", what: 'as DRAFT-002-R1' },
      { line: 'teams task revise login 3 - < review.txt', what: 'what is to be different is on stdin' },
    ],
    load: () => taskAct('revise'),
  },
];

export const tasks: readonly Verb[] = [...making, ...working, ...deciding];
