/** Verbs for the tasks of a board. */
import type { TASK_ACTS } from '../commands/task/task-acts.ts';
import type { Act, Option, Verb } from '../verb.ts';

const taskAct = async (name: keyof typeof TASK_ACTS): Promise<{ act: Act }> => ({
  act: (await import('../commands/task/task-acts.ts')).TASK_ACTS[name],
});

const words = '[team] [task]';
const subject: Option = { flags: '--subject <text>', what: 'the subject of the task' };
const description: Option = { flags: '--description <text>', what: 'a longer description; - reads stdin' };
const activeForm: Option = { flags: '--active-form <text>', what: 'the text to show while the task is in progress' };

const making: readonly Verb[] = [
  {
    name: 'task create',
    summary: 'add a task to the board',
    words: '[team] [subject]',
    options: [
      subject,
      description,
      activeForm,
      { flags: '--key <key>', what: 'a key: a name for the task within its board' },
      { flags: '--owner <name>', what: 'only this member may claim it' },
      { flags: '--role <role>', what: 'only members of this role may claim it' },
      { flags: '--blocked-by <task>', what: 'a task that must be resolved first: its id, key or subject', many: true },
      { flags: '--run <command>', what: 'the command that an exec agent runs' },
      { flags: '--prompt <text>', what: 'the prompt of the agent (default: the description)' },
      {
        flags: '--verify <command>',
        what: 'a command that must succeed before the task counts as completed',
        many: true,
      },
      { flags: '--file <path>', what: 'a file that the task may change', many: true },
      { flags: '--artifact <path>', what: 'a file that the task must make' },
      { flags: '--env <name=value>', what: 'an environment variable of its commands', many: true },
      { flags: '--timeout <duration>', what: 'end an attempt after this time (default: 10m)' },
      { flags: '--retries <n>', what: 'how many failed attempts may be tried again (default: 0)' },
      { flags: '--optional', what: 'the run can succeed without this task' },
    ],
    examples: [
      { line: "teams task create login 'Write tests' --owner ada", what: 'a task for ada' },
      {
        line: "teams task create login 'Review' --blocked-by 1 --blocked-by 2",
        what: 'a task that waits for tasks 1 and 2',
      },
      { line: "teams task create 'Run them' --run 'npm test' --timeout 5m", what: 'a task for an exec agent' },
    ],
    load: () => taskAct('create'),
  },
  {
    name: 'task list',
    summary: 'list the tasks of the board',
    words: '[team]',
    options: [
      {
        flags: '--status <status>',
        what: 'only this status: pending, in_progress, completed, failed, skipped or cancelled',
      },
      { flags: '--owner <name>', what: 'only tasks of this owner' },
    ],
    examples: [
      { line: 'teams task list login', what: 'list every task' },
      { line: 'teams task list --status failed --json', what: 'failed tasks, as JSON' },
    ],
    load: () => taskAct('list'),
  },
  {
    name: 'task get',
    summary: 'show one task with its history and its result',
    words,
    examples: [
      { line: 'teams task get login 3', what: 'by its id' },
      { line: "teams task get login 'Write tests' --json", what: 'by its subject' },
    ],
    load: () => taskAct('get'),
  },
  {
    name: 'task update',
    summary: 'change the text, the owner or the blockers of a task',
    words,
    options: [
      subject,
      description,
      activeForm,
      { flags: '--owner <name>', what: "the new owner, or 'nobody'" },
      { flags: '--block <task>', what: 'add this task as a blocker', many: true },
      { flags: '--unblock <task>', what: 'remove this task from the blockers', many: true },
    ],
    examples: [
      { line: 'teams task update login 3 --owner bob', what: 'give it to bob' },
      { line: 'teams task update login 3 --block 2', what: 'make it wait for task 2' },
    ],
    load: () => taskAct('update'),
  },
];

const working: readonly Verb[] = [
  {
    name: 'task claim',
    summary: 'claim a task, to work on it',
    words,
    options: [{ flags: '--next', what: 'claim the first ready task' }],
    examples: [
      { line: 'teams task claim login 3 --as ada', what: 'claim task 3 as ada, a member without a process' },
      { line: 'teams task claim login --next --as ada', what: 'the ready task with the lowest id' },
    ],
    load: () => taskAct('claim'),
  },
  {
    name: 'task complete',
    summary: 'complete a claimed task',
    words,
    options: [
      { flags: '--result <text>', what: 'the result text; - reads stdin' },
      { flags: '--exit-code <n>', what: 'the exit code of the command that did the task' },
      { flags: '--file <path>', what: 'a file that the task changed', many: true },
    ],
    examples: [
      { line: "teams task complete login 3 --result 'Fixed in auth.ts.'", what: 'with a result text' },
      {
        line: 'teams task complete $TEAMS_TASK_ID',
        what: 'inside a teammate: run the verify commands and report to the runner',
      },
    ],
    load: () => taskAct('complete'),
  },
  {
    name: 'task fail',
    summary: 'report that a claimed task failed',
    words,
    options: [
      { flags: '--reason <text>', what: 'the reason; - reads stdin' },
      { flags: '--exit-code <n>', what: 'the exit code of the command that failed' },
      { flags: '--file <path>', what: 'a file that the task changed', many: true },
    ],
    examples: [
      { line: "teams task fail login 3 --reason 'The API is gone.'", what: 'with a reason' },
      { line: 'make 2>&1 | tail -5 | teams task fail login 3 --reason -', what: 'read the reason from stdin' },
    ],
    load: () => taskAct('fail'),
  },
  {
    name: 'task release',
    summary: 'release a claimed task, so that another member can claim it',
    words,
    options: [{ flags: '--why <text>', what: 'the reason, for the log' }],
    examples: [
      { line: 'teams task release login 3 --as ada', what: "end ada's claim" },
      { line: "teams task release 3 --why 'needs a key'", what: 'with a reason for the log' },
    ],
    load: () => taskAct('release'),
  },
];

const deciding: readonly Verb[] = [
  {
    name: 'task retry',
    summary: 'set a failed task to pending, with every task that was skipped because of it',
    words,
    options: [
      { flags: '--note <text>', what: 'what the next attempt is told (TEAMS_NOTE for a command); - reads stdin' },
    ],
    examples: [
      { line: 'teams task retry login 3', what: 'task 3 is pending again, and so is what was skipped for it' },
      { line: "teams task retry login 3 --note 'Use the old API.'", what: 'with a note for the next attempt' },
      { line: 'teams task retry 3 --json', what: 'print {task}' },
    ],
    load: () => taskAct('retry'),
  },
  {
    name: 'task skip',
    summary: 'skip a task; tasks that it blocks become ready',
    words,
    options: [
      { flags: '--cascade', what: 'also skip every task that depends on it' },
      { flags: '--why <text>', what: 'the reason, for the log' },
    ],
    examples: [
      { line: 'teams task skip login 3', what: 'tasks that wait only for task 3 become ready' },
      { line: 'teams task skip login 3 --cascade', what: 'tasks that depend on task 3 are skipped, too' },
    ],
    load: () => taskAct('skip'),
  },
  {
    name: 'task unblock',
    summary: 'remove blockers from a task, so that it can start before they are done',
    words: '[team] [task] [blocker]',
    examples: [
      { line: 'teams task unblock login 3', what: 'remove all blockers' },
      { line: 'teams task unblock login 3 2', what: 'remove only blocker 2' },
    ],
    load: () => taskAct('unblock'),
  },
  {
    name: 'task approve',
    summary: 'approve the plan or the change of a member, or finished work that waits for approval',
    words: '[team] [task] [text]',
    examples: [
      { line: 'teams task approve login 3', what: 'its member begins, or the tasks that wait for it continue' },
      { line: "teams task approve login 3 'Keep the API.'", what: 'with a note for the member' },
    ],
    load: () => taskAct('approve'),
  },
  {
    name: 'task refuse',
    summary: 'refuse the plan of a member that waits for approval, or send its change back',
    words: '[team] [task] [text]',
    examples: [
      {
        line: "teams task refuse login 3 'Too large; only the parser.'",
        what: 'the member plans again, if the task has retries left',
      },
      { line: 'teams task refuse login 3 - < review.txt', what: 'read the reason from stdin' },
    ],
    load: () => taskAct('refuse'),
  },
  {
    name: 'task revise',
    summary: 'have finished work done again, with the tasks that depend on it',
    words: '[team] [task] [text]',
    examples: [
      { line: "teams task revise login DRAFT-002 'The costs are missing.'", what: 'adds the task DRAFT-002-R1' },
      { line: 'teams task revise login 3 - < review.txt', what: 'read the requested changes from stdin' },
    ],
    load: () => taskAct('revise'),
  },
];

export const tasks: readonly Verb[] = [...making, ...working, ...deciding];
