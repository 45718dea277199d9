/**
 * What `--json` prints: every verb and every class of failure, checked with strict schemas and the files in
 * schemas/cli/.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { verbs } from '../../../src/surfaces/cli/verbs/all-verbs.ts';
import { Workplace, type Answer } from '../../support/cli.ts';
import { cliSchemas, schemaName, VERB_SHAPES } from '../../../src/surfaces/cli/shapes/all-shapes.ts';
import * as base from '../../../src/surfaces/cli/shapes/base-shapes.ts';
import * as mail from '../../../src/surfaces/cli/shapes/mail-shapes.ts';
import * as run from '../../../src/surfaces/cli/shapes/run-shapes.ts';
import * as setup from '../../../src/surfaces/cli/shapes/setup-shapes.ts';
import * as task from '../../../src/surfaces/cli/shapes/task-shapes.ts';
import * as team from '../../../src/surfaces/cli/shapes/team-shapes.ts';
import * as view from '../../../src/surfaces/cli/shapes/view-shapes.ts';

interface Row {
  /** The verb with its words, as a person types it; `ID` is the id of the open request. */
  readonly line: string;
  readonly shape: z.ZodType;
  /** The verbs before it. */
  readonly after?: readonly string[];
  /** NDJSON: one object a line. */
  readonly stream?: true;
  /** Lists that are empty in its answer. */
  readonly empty?: readonly string[];
  /** The workplace is a git repository. */
  readonly repository?: true;
  /** The allowed exit codes; 0 by default. */
  readonly codes?: readonly number[];
}

const CLAIMED = ['task claim 1 --as ada'];
const FAILED = [...CLAIMED, 'task fail 1 --as ada --reason no'];
const RUN = ['run plan.yaml'];
const asked = (kind: string): string[] => [...CLAIMED, `send lead which? --kind ${kind} --as ada --task 1`];
/** It pushes to itself, which changes nothing. */
const REPOSITORY =
  'git init -q . && git config user.name me && git config user.email me@here && git remote add origin .';
const QUICK = '--backend exec:./it.sh --reviewer exec:true --no-team';

const rows: readonly Row[] = [
  { line: 'run plan.yaml', shape: run.report },
  { line: 'run plan.yaml --dry-run', shape: run.plan },
  { line: 'validate plan.yaml', shape: run.plan },
  { line: 'route Create-a-button', shape: run.routed },
  { line: 'resume login', after: ['task skip 1', 'task skip 2'], shape: run.report, codes: [1] },
  { line: 'wait tiny', after: RUN, shape: run.waited },
  { line: 'budget login --set cost=5', shape: run.budget },
  { line: 'up changed.yaml --yes', after: RUN, shape: run.updated },
  { line: 'approvals login', shape: mail.approvals },
  { line: 'pause login', shape: run.paused },
  { line: 'unpause login', after: ['pause login'], shape: run.paused },
  { line: 'cancel login', shape: run.cancelled },
  { line: `refine do-it ${QUICK}`, shape: run.refined, empty: ['tasks'] },
  { line: 'relay --to exec:./it.sh --prompt hello', shape: run.relayed },
  { line: 'pipeline --list', shape: run.pipelines },
  { line: 'pipeline fullstack --graph', shape: run.pipeline },
  { line: 'pipeline --eject impl-only', shape: run.ejected },
  { line: 'create other', shape: team.made },
  { line: 'lead login --detach', shape: team.detached },
  { line: 'spawn login cy --agent exec', after: ['lead login --detach'], shape: team.spawned },
  { line: 'worker login bob --agent exec --idle-timeout 1ms', shape: team.worked },
  { line: 'list', shape: team.teams },
  { line: 'list --all', after: ['delete login'], shape: team.teams },
  { line: 'status', after: CLAIMED, shape: team.status },
  { line: 'delete login', shape: team.deleted },
  { line: 'prune --older-than 1ms --yes', after: ['delete login'], shape: team.pruned },
  { line: 'send ada hello', shape: mail.receipts },
  { line: 'send --broadcast hello', after: ['send ada 1', 'send ada 2'], shape: mail.receipts, codes: [1] },
  { line: 'answer ID left', after: asked('question'), shape: mail.receipts },
  { line: 'inbox lead', after: asked('question'), shape: mail.messages },
  { line: 'inbox lead --follow --max 1', after: asked('question'), shape: mail.message, stream: true },
  { line: 'take lead', after: asked('question'), shape: mail.messages },
  { line: 'log tiny', after: RUN, shape: view.event, stream: true },
  {
    line: 'log --session TLS-x --from executor --type done --summary ok --ref a.md',
    after: ['create tls-x --profile pipeline --member ada'],
    shape: view.busRecord,
  },
  { line: 'wisdom login learnings new', shape: view.added },
  { line: 'wisdom login', shape: view.wisdom },
  { line: 'watch tiny', after: [...RUN, 'delete tiny'], shape: view.event, stream: true },
  { line: 'logs tiny ada', after: RUN, shape: view.outputLine, stream: true },
  { line: 'why', shape: view.explained },
  { line: 'why ada', after: asked('question'), shape: view.explained },
  { line: 'why 2', shape: view.explained },
  { line: 'at tiny 10', after: RUN, shape: view.moment },
  { line: 'replay tiny', after: RUN, shape: view.replayed },
  { line: 'report', shape: run.report },
  { line: 'export', shape: view.exported },
  { line: 'diff tiny', after: RUN, shape: view.changes, repository: true },
  { line: 'apply apart', after: ['run apart.yaml'], shape: view.applied, repository: true },
  { line: 'pr apart', after: ['run apart.yaml'], shape: view.pushed, repository: true },
  { line: 'undo tiny --yes', after: RUN, shape: view.undone, repository: true },
  { line: 'task create Third --owner bob --run true', shape: task.task },
  { line: 'task list', after: FAILED, shape: task.tasks },
  { line: 'task get 1', after: FAILED, shape: task.taskInFull },
  { line: 'task update 1 --owner bob', shape: task.task },
  { line: 'task claim 1 --as ada', shape: task.task },
  { line: 'task complete 1 --as ada --result done', after: CLAIMED, shape: task.task },
  {
    line: 'task complete 3 --as bob --result done',
    after: ['task create Proved --verify false', 'task claim 3 --as bob'],
    shape: task.verdict,
    codes: [1],
  },
  { line: 'task fail 1 --as ada --reason no', after: CLAIMED, shape: task.task },
  { line: 'task release 1 --as ada', after: CLAIMED, shape: task.task },
  { line: 'task retry 1', after: FAILED, shape: task.task },
  { line: 'task skip 1', shape: task.task },
  { line: 'task unblock 2', shape: task.task },
  { line: 'task approve 1', after: asked('plan_approval_request'), shape: task.task },
  { line: 'task refuse 1', after: asked('plan_approval_request'), shape: task.task },
  {
    line: 'task revise PLAN-001 shorter',
    after: ['task create PLAN-001', 'task claim 3 --as ada', 'task complete 3 --as ada --result done'],
    shape: task.task,
  },
  { line: 'init', shape: setup.project },
  { line: 'init --host claude', shape: setup.host },
  { line: 'init --host codex --print', shape: setup.printedHost },
  { line: 'doctor', shape: setup.checks, codes: [0, 1] },
  { line: 'config show --origin', shape: setup.config },
];

/** Their stdout is a protocol or a shell script, with `--json` or without. */
const OWN_WORDS = ['ui', 'mcp', 'acp', 'completion'];
/** They need a server: test/surfaces/cli/store-verbs.test.ts. */
const WITH_SERVER = ['store init', 'store check', 'store relay', 'host', 'migrate'];

/** A team of two with a task for each, a plan, and a program as an agent. */
async function login(): Promise<Workplace> {
  const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '2000', TEAMS_INBOX_MAX_MESSAGES: '2' });
  const task = "{subject: Say it, owner: ada, run: 'echo hello'}";
  place.put('plan.yaml', `name: tiny\nmembers: [{name: ada, agent: {kind: exec}}]\ntasks: [${task}]\n`);
  const changed = `[${task}, {subject: More, owner: bob, run: 'true'}]`;
  const both = '[{name: ada, agent: {kind: exec}}, {name: bob, agent: {kind: exec}}]';
  place.put('changed.yaml', `name: tiny\nmembers: ${both}\ntasks: ${changed}\ngates: {test: 'true'}\n`);
  place.put(
    'apart.yaml',
    `name: apart\nisolation: trees\nmembers: [{name: ada, agent: {kind: exec}}]\ntasks: [{subject: Make it, run: 'echo it >it.txt'}]\n`,
  );
  place.put('it.sh', 'cat >/dev/null; echo it\n');
  await place.shell('chmod +x it.sh');
  await said(place, 'create login --member ada --member bob');
  await said(place, 'task create First --owner ada');
  await said(place, 'task create Second --blocked-by 1');
  return place;
}

const say = (place: Workplace, line: string): Promise<Answer> => place.teams(...line.split(' '));

async function said(place: Workplace, line: string): Promise<void> {
  const { code, out, err } = await say(place, line);
  expect({ line, code, out, err }).toMatchObject({ line, code: 0 });
}

/** Puts the id of the open request into a line that names it. */
async function filled(place: Workplace, line: string): Promise<string> {
  if (!line.includes('ID')) return line;
  const { messages } = await place.json(mail.messages, 'inbox', 'lead');
  return line.replace('ID', messages[0]?.id ?? '');
}

const verbOf = (line: string): string | undefined =>
  verbs.map(({ name }) => name).find((name) => `${line} `.startsWith(`${name} `));

const SCHEMAS = join(import.meta.dirname, '../../../schemas/cli');

/** Read back from its file, as another program would. */
const publishedSchema = (name: string): z.ZodType =>
  z.fromJSONSchema(
    z.record(z.string(), z.json()).parse(JSON.parse(readFileSync(join(SCHEMAS, `${name}.json`), 'utf8'))),
  );

/** Lists that a row must fill; otherwise the shape of their entries is not tested. */
const FILLED = ['teams', 'tasks', 'receipts', 'messages', 'checks', 'changes', 'rounds', 'contributions', 'steps'];
const emptyLists = (answer: object): string[] =>
  Object.entries(answer).flatMap(([key, value]) =>
    FILLED.includes(key) && Array.isArray(value) && value.length === 0 ? [key] : [],
  );

describe('--json', () => {
  it('every verb has a row in the table of shapes', () => {
    const shown = new Set(rows.map(({ line }) => verbOf(line)));
    expect(verbs.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([...OWN_WORDS, ...WITH_SERVER]);
  });

  it.each(rows)(
    '--json has its shape: teams $line',
    { timeout: 60_000 },
    async ({ line, shape, after = [], ...how }) => {
      const place = await login();
      onTestFinished(async () => {
        if (`${line} ${after.join(' ')}`.includes('--detach')) await say(place, 'delete login --force --now');
      });
      if (how.repository) await place.shell(REPOSITORY);
      for (const one of after) await said(place, one);
      const { code, out, err } = await say(place, `${await filled(place, line)} --json`);
      expect(how.codes ?? [0], err).toContain(code);
      expect(out.endsWith('\n')).toBe(true);
      const lines = out.trimEnd().split('\n');
      if (how.stream === undefined) expect(lines).toHaveLength(1);
      for (const one of lines) expect(shape.parse(JSON.parse(one))).toEqual(JSON.parse(one));
      const published = publishedSchema(schemaName(verbOf(line) ?? ''));
      for (const one of lines) expect(published.safeParse(JSON.parse(one)).error).toBeUndefined();
      expect(emptyLists(z.looseObject({}).parse(JSON.parse(lines[0] ?? '')))).toEqual(how.empty ?? []);
    },
  );

  it('every verb has its own schema, and so have a failure and `teams` alone', () => {
    const speaking = verbs.map(({ name }) => name).filter((name) => name !== 'acp' && name !== 'completion');
    expect(Object.keys(VERB_SHAPES).sort()).toEqual(speaking.toSorted());
    const files = [...speaking.map(schemaName), 'failure', 'teams'].map((name) => `${name}.json`);
    expect(readdirSync(SCHEMAS).sort()).toEqual(files.sort());
  });

  it('--json prints first steps too', async () => {
    base.steps.parse(JSON.parse((await say(new Workplace(), '--json')).out));
  });
});

describe('a failure', () => {
  it.each([
    ['list --nonsense', 2, 'UsageError', 'USAGE', false],
    ['lst', 2, 'UsageError', 'USAGE', false],
    ['create A', 2, 'UsageError', 'BAD_NAME', false],
    ['status nowhere', 2, 'UsageError', 'UNKNOWN_TEAM', false],
    ['task get 9', 2, 'UsageError', 'UNKNOWN_TASK', false],
    ['task unblock 1', 2, 'UsageError', 'BAD_REFERENCE', false],
    ['task update 1 --owner cy', 2, 'UsageError', 'UNKNOWN_MEMBER', false],
    ['task update 1 --block 2', 2, 'UsageError', 'CYCLE', false],
    ['task approve 1 --as bob', 2, 'UsageError', 'POLICY_DENIED', false],
    ['send cy hello', 2, 'UsageError', 'UNKNOWN_RECIPIENT', false],
    ['answer 01 left', 2, 'UsageError', 'UNKNOWN_REQUEST', false],
    ['run bad.yaml', 2, 'UsageError', 'PLAN_INVALID', false],
    ['create login', 3, 'ConflictError', 'TEAM_EXISTS', true],
    ['spawn cy --agent exec', 3, 'ConflictError', 'REFUSED', true],
    ['task claim 2 --as bob', 3, 'ConflictError', 'NOT_READY', true],
    ['task release 1 --as ada', 3, 'ConflictError', 'STALE_CLAIM', true],
    ['worker ada', 5, 'AgentError', 'AGENT_UNAVAILABLE', false],
  ])('a failure is {error: {class, code, message, retryable}}: teams %s', async (line, exit, kind, code, retryable) => {
    const place = await login();
    place.put('bad.yaml', 'tasks: 1\n');
    const { code: left, out, err } = await say(place, `${line} --json`);
    const { error } = base.failure.parse(JSON.parse(out));
    expect(error.message).toMatch(/[.?]$/);
    expect(publishedSchema('failure').safeParse(JSON.parse(out)).error).toBeUndefined();
    expect({ left, err, ...error }).toEqual({
      left: exit,
      err: '',
      class: kind,
      code,
      retryable,
      message: error.message,
    });
  });

  it.each([
    ['config.json', '{"version": 1,', 'status login', 'CORRUPT'],
    ['config.json', '{"version": 99}', 'status login', 'NEWER_VERSION'],
    ['../../home/state/teams/key', 'f'.repeat(64), 'lead login', 'UNTRUSTED'],
  ])('a failure of the store has the same shape: %s', async (file, content, line, code) => {
    const place = await login();
    writeFileSync(join(place.root, '.teams/login', file), content);
    const { code: left, out } = await say(place, `${line} --json`);
    expect(base.failure.parse(JSON.parse(out)).error).toMatchObject({ class: 'StoreError', code, retryable: false });
    expect(left).toBe(4);
  });

  it.each(verbs)('the failure of an unknown option has the same shape: $name', async ({ name }) => {
    const { code, out, err } = await say(new Workplace(), `${name} --nonsense --json`);
    expect(base.failure.parse(JSON.parse(out)).error).toMatchObject({ class: 'UsageError', code: 'USAGE' });
    expect({ code, err }).toEqual({ code: 2, err: '' });
  });
});

/** Keys of messages and tasks, which are printed as they are stored. */
const STORED = ['request_id', 'task_id', 'reply_to', 'created_at', 'updated_at', 'claimed_at', 'submitted_at'];

function keysIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(keysIn);
  if (typeof node !== 'object' || node === null) return [];
  const own = 'properties' in node && typeof node.properties === 'object' ? Object.keys(node.properties ?? {}) : [];
  return [...own, ...Object.values(node).flatMap(keysIn)];
}

describe('the published schemas', () => {
  it('published schemas have keys in camel case, except stored ones', () => {
    const keys = new Set(Object.values(cliSchemas()).flatMap(keysIn));
    expect([...keys].filter((key) => !/^[a-z][a-zA-Z0-9]*$/.test(key)).sort()).toEqual(STORED.toSorted());
  });

  it('published schemas need the version of the shape in every answer and in every line', () => {
    const shapes = Object.values(VERB_SHAPES).flatMap(({ answers, lines = [] }) => [...answers, ...lines]);
    for (const { required, properties } of shapes.map((shape) => z.toJSONSchema(shape))) {
      expect(required).toContain('schemaVersion');
      expect(properties?.['schemaVersion']).toMatchObject({ const: 2 });
    }
  });
});
