/**
 * Words of other programs' files (Compose, GitHub Actions, Turborepo, make-like runners) and what they are called in a
 * plan, as the rest of the sentence *Unknown key "needs"; use …*
 */

const BLOCKED_BY = '"blockedBy" with a list of keys';
const RUN = '"run" with one command';
const CD = '"run" that begins with `cd FOLDER &&`, or "cwd" of the plan for all members';
const MERGED = 'the keys themselves, or an alias for the whole entry: a plan has no merge keys';

export const FOREIGN_TASK_KEYS: Readonly<Record<string, string>> = {
  id: '"key"',
  name: '"subject", and "key" for a short name',
  title: '"subject"',
  label: '"subject"',
  command: RUN,
  commands: RUN,
  cmd: RUN,
  cmds: RUN,
  script: RUN,
  exec: RUN,
  shell: RUN,
  steps: '"run" with one command, or a task for each step',
  needs: BLOCKED_BY,
  deps: BLOCKED_BY,
  depends: BLOCKED_BY,
  depends_on: BLOCKED_BY,
  dependsOn: BLOCKED_BY,
  dependencies: BLOCKED_BY,
  after: BLOCKED_BY,
  requires: BLOCKED_BY,
  environment: '"env"',
  cwd: CD,
  dir: CD,
  workdir: CD,
  working_dir: CD,
  'working-directory': CD,
  '<<': MERGED,
  retry: '"retries" with a number',
  'timeout-minutes': '"timeout", for example 10m',
  timeoutMinutes: '"timeout", for example 10m',
  assignee: '"owner"',
  member: '"owner"',
  agent: '"owner" with a member that has this agent',
  outputs: '"files" with the files that the task may write',
  'continue-on-error': '"required: false"',
  allow_failure: '"required: false"',
};

export const FOREIGN_PLAN_KEYS: Readonly<Record<string, string>> = {
  jobs: '"tasks" with a list',
  steps: '"tasks" with a list',
  processes: '"tasks" with a list',
  pipeline: '"tasks" with a list',
  services: '"members" for who works and "tasks" for what is done',
  agents: '"members"',
  workers: '"members"',
  teammates: '"members"',
  team: '"members"',
  title: '"name"',
  workdir: '"cwd"',
  working_dir: '"cwd"',
  env: '"env" of a member or a task',
  environment: '"env" of a member or a task',
  'working-directory': '"cwd"',
  '<<': MERGED,
};
