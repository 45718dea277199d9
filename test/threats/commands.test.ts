/**
 * Whose commands run: a member's process never gives a task a command, whichever door it tries, and no runner starts a
 * command that nobody with the right to it wrote (threats 5 and 7 of docs/reliability.md).
 */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { takeLead } from '../../src/runtime/lead/leadership.ts';
import { PageReader, PageWriter } from '../../src/store/files/checked-pages.ts';
import { realDisk } from '../../src/store/files/disk.ts';
import { teamPaths } from '../../src/store/files/paths.ts';
import { openStore } from '../../src/store/team/team-store.ts';
import { boardFromCheckpoint, keepCheckpoint } from '../support/checkpoint.ts';
import { failureSchema, Workplace } from '../support/cli.ts';
import { realClock } from '../support/clock.ts';
import { asMember } from '../support/member.ts';
import { name } from '../support/team.ts';

const tasksSchema = z.looseObject({ tasks: z.array(z.looseObject({ id: z.string(), subject: z.string() })) });

let place: Workplace;
let ada: Record<string, string>;

const log = (): string => join(place.root, '.tasks/login/log.jsonl');
const subjects = async () => (await place.json(tasksSchema, 'task', 'list', 'login')).tasks.map((task) => task.subject);
const incarnation = (): string =>
  z.object({ inc: z.string() }).parse(
    JSON.parse(
      readFileSync(log(), 'utf8')
        .trim()
        .split(/\n+/)
        .findLast((line) => line.includes('member.started')) ?? '',
    ),
  ).inc;

/** A line that ada writes to the log by itself. */
const line = (work: object, more: object = {}): string => {
  const fields = { subject: 'Planted', owner: 'bob', work };
  const author = { by: 'ada', inc: incarnation() };
  const head = { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', v: 2, at: '2026-01-01T00:00:00.000Z', author };
  return `\n${JSON.stringify({ ...head, type: 'task.created', task: '2', fields, ...more })}\n`;
};

beforeEach(async () => {
  place = new Workplace();
  await place.teams('create', 'login', '--member', 'ada', '--member', 'bob');
  await place.teams('task', 'create', 'Of ada', '--owner', 'ada');
  ada = await asMember(place, 'login', 'ada', '1');
});

const COMMANDS: [string, string[], object][] = [
  ['run', ['--run', 'touch owned'], { run: 'touch owned' }],
  ['verify', ['--verify', 'touch owned'], { verify: ['touch owned'] }],
  ['env', ['--env', 'PATH=/tmp/bin'], { env: { PATH: '/tmp/bin' } }],
];

/** The log as the version before writes it. */
const asVersionOne = (): void => writeFileSync(log(), readFileSync(log(), 'utf8').replaceAll('"v":2', '"v":1'));
const versions = (): unknown[] =>
  readFileSync(log(), 'utf8')
    .trim()
    .split(/\n+/)
    .map((text) => z.object({ v: z.number() }).parse(JSON.parse(text)).v);

describe('a log of version 1', () => {
  beforeEach(asVersionOne);

  it('a log of version 1 keeps its meaning: an earlier program may have written a member’s command', async () => {
    appendFileSync(log(), line({ run: 'touch owned' }, { v: 1 }));
    expect(await subjects()).toEqual(['Of ada', 'Planted']);
  });

  it.each(COMMANDS)('the command line refuses a member’s %s there, too', async (_, flags) => {
    const { code } = await place.say(['task', 'create', 'login', 'Planted', ...flags], { environment: ada });
    expect(code).toBe(2);
    expect(await subjects()).toEqual(['Of ada']);
  });

  it('a person’s and a member’s records stay of version 1, which an older lead can read', async () => {
    await place.teams('task', 'create', 'login', 'Mine', '--run', 'true');
    await place.say(['task', 'create', 'login', 'Harmless'], { environment: ada });
    expect(new Set(versions())).toEqual(new Set([1]));
  });

  it('a log of version 1 becomes one of version 2 by a lead of this version', async () => {
    const store = openStore(teamPaths(place.root, name('login')), { clock: realClock });
    const { lease } = await takeLead(store, { onLost: () => undefined });
    await lease.release();
    await store.close();
    expect(versions().at(-1)).toBe(2);
    appendFileSync(log(), line({ run: 'touch owned' }, { v: 1 }));
    expect(await subjects()).not.toContain('Planted');
  });
});

describe('a member creates no task with a command', () => {
  it.each(COMMANDS)('the command line refuses %s, and names the plan and the lead', async (_, flags) => {
    const { code, out } = await place.say(['task', 'create', 'login', 'Planted', ...flags, '--json'], {
      environment: ada,
    });
    const { error } = failureSchema.parse(JSON.parse(out));
    expect([code, error.code]).toEqual([2, 'POLICY_DENIED']);
    expect(error.message).toMatch(/plan.*lead/);
    expect(await subjects()).toEqual(['Of ada']);
  });

  it.each(COMMANDS)('the law of the board refuses %s in a line that it appends to the log', async (_, __, work) => {
    appendFileSync(log(), line(work));
    expect(await subjects()).toEqual(['Of ada']);
  });

  it.each(COMMANDS)('the law refuses %s in a record that says to be of version 1', async (_, __, work) => {
    appendFileSync(log(), line(work, { v: 1 }));
    expect(await subjects()).toEqual(['Of ada']);
  });

  it('the law refuses a command inside a batch', async () => {
    const fields = { subject: 'Planted', work: { run: 'touch owned' } };
    appendFileSync(log(), line({}, { type: 'batch', changes: [{ type: 'task.created', task: '2', fields }] }));
    expect(await subjects()).toEqual(['Of ada']);
  });

  it('a member creates a task without a command', async () => {
    const { code } = await place.say(['task', 'create', 'login', 'Harmless'], { environment: ada });
    expect(code).toBe(0);
    expect(await subjects()).toEqual(['Of ada', 'Harmless']);
    expect(existsSync(join(place.root, 'owned'))).toBe(false);
  });
});

/** A record as the lead writes it, with what stands in the log: the lead's incarnation and epoch, any mac. */
const forged = (work: object, more: object = {}): string => {
  const author = { person: 'lead', epoch: 0 };
  return line(work, { id: '01ARZ3NDEKTSV4RRFFQ69G5FAW', author, ...more });
};

/** The checkpoint of the log, with other commands in its tasks. */
function forgeCheckpoint(from: string, to: string): void {
  const paths = teamPaths(place.root, name('login'));
  keepCheckpoint(paths);
  const file = new PageReader(realDisk, paths.checkpoint);
  const pages = Array.from({ length: file.pages }, (_, at) => file.page(at));
  const writer = new PageWriter(realDisk, `${paths.checkpoint}.forged`);
  for (const [at, page] of pages.entries())
    writer.add(at === 0 ? Buffer.from(page.toString('utf8').replaceAll(from, to)) : page);
  writer.finish(z.record(z.string(), z.unknown()).parse(file.header));
  file.close();
  renameSync(`${paths.checkpoint}.forged`, paths.checkpoint);
}

const owned = (): boolean => existsSync(join(place.root, 'owned'));
const failed = async (...argv: string[]) => {
  const { code, out } = await place.teams(...argv, '--json');
  return { code, error: code === 0 ? undefined : failureSchema.parse(JSON.parse(out)).error };
};

describe('a command that this user did not give does not run', () => {
  const UNVOUCHED = {
    code: 4,
    error: { code: 'UNTRUSTED', message: expect.stringContaining('doctor --trust login') as string },
  };

  it.each(COMMANDS)('the lead starts nothing at a forged record with %s', async (_, __, work) => {
    appendFileSync(log(), forged(work));
    expect(await failed('resume', 'login')).toMatchObject(UNVOUCHED);
    expect(await failed('lead', 'login')).toMatchObject(UNVOUCHED);
    expect(await failed('lead', 'login', '--detach')).toMatchObject(UNVOUCHED);
    expect(owned()).toBe(false);
  });

  it('a mac vouches for its own record, team and commands only', async () => {
    await place.teams('task', 'create', 'login', 'Given', '--run', 'true');
    const given = z
      .looseObject({ id: z.string(), mac: z.string() })
      .parse(JSON.parse(readFileSync(log(), 'utf8').trim().split(/\n+/).at(-1) ?? ''));
    appendFileSync(log(), forged({ run: 'true' }, { task: '3', mac: given.mac }));
    expect(await failed('resume', 'login')).toMatchObject(UNVOUCHED);
  });

  it('a changed command of a record loses its mac', async () => {
    await place.teams('task', 'create', 'login', 'Given', '--run', 'true');
    writeFileSync(log(), readFileSync(log(), 'utf8').replace('"run":"true"', '"run":"touch owned"'));
    expect(await failed('resume', 'login')).toMatchObject(UNVOUCHED);
  });

  it('a log that came with a pull runs nothing, though the team’s folder is the user’s own', async () => {
    const theirs = new Workplace();
    await theirs.teams('create', 'login', '--member', 'ada', '--member', 'bob');
    await theirs.teams('task', 'create', 'login', 'Planted', '--owner', 'bob', '--run', 'touch owned');
    for (const [key, value] of Object.entries(place.environment)) vi.stubEnv(key, value);
    writeFileSync(log(), readFileSync(join(theirs.root, '.tasks/login/log.jsonl')));
    expect(await failed('resume', 'login')).toMatchObject(UNVOUCHED);
    expect(owned()).toBe(false);
  });

  it('a person who works by hand runs no verify command that nobody vouched for', async () => {
    appendFileSync(log(), forged({ verify: ['touch owned'] }));
    expect((await place.teams('task', 'claim', 'login', '2', '--as', 'bob')).code).toBe(0);
    expect(await failed('task', 'complete', 'login', '2', '--result', 'x', '--as', 'bob')).toMatchObject({
      code: 4,
      error: { code: 'UNTRUSTED' },
    });
    expect(owned()).toBe(false);
  });

  it('a member’s report that it is done runs no verify command that nobody vouched for', async () => {
    appendFileSync(log(), forged({ verify: ['touch owned'] }));
    const bob = await asMember(place, 'login', 'bob', '2');
    const { code, out } = await place.say(['task', 'complete', 'login', '2', '--json'], { environment: bob });
    expect([code, failureSchema.parse(JSON.parse(out)).error.code]).toEqual([4, 'UNTRUSTED']);
    expect(owned()).toBe(false);
  });

  it('doctor shows each command before it trusts, asks, and trusts these records only', async () => {
    appendFileSync(log(), forged({ run: 'echo one', verify: ['echo two'], env: { THREE: '3' } }));
    const asked = await place.teams('doctor', '--trust', 'login');
    expect(asked.code).toBe(2);
    for (const what of ['task #2 run: echo one', 'task #2 verify: echo two', 'task #2 env: THREE=3', '--yes'])
      expect(asked.err).toContain(what);
    expect(await failed('resume', 'login')).toMatchObject(UNVOUCHED);

    await place.teams('doctor', '--trust', 'login', '--yes');
    const store = openStore(teamPaths(place.root, name('login')), { clock: realClock });
    onTestFinished(() => store.close());
    store.requireTrustedCommands();
    appendFileSync(log(), forged({ run: 'touch owned' }, { id: '01ARZ3NDEKTSV4RRFFQ69G5FAX', task: '3' }));
    expect(() => store.requireTrustedCommands()).toThrow(expect.objectContaining({ code: 'UNTRUSTED' }));
  });

  it('commands of a person, of the lead and of a plan are vouched for', async () => {
    await place.teams('task', 'create', 'login', 'Given', '--run', 'true', '--verify', 'true', '--env', 'A=1');
    place.put(
      'plan.yaml',
      'name: planned\nmembers: [{name: eve, agent: exec}]\ntasks: [{subject: Own, run: touch owned}]\n',
    );
    expect((await place.teams('run', 'plan.yaml')).code).toBe(0);
    expect(owned()).toBe(true);
    const store = openStore(teamPaths(place.root, name('login')), { clock: realClock });
    onTestFinished(() => store.close());
    store.requireTrustedCommands();
  });
});

describe('in a running team', () => {
  it('a command that is planted during the run never starts, and the run ends as waiting, with the cure', async () => {
    const plan = 'name: planned\nmembers: [{name: eve, agent: exec}]\ntasks: [{subject: Own, run: sh plant.sh}]\n';
    place.put('plan.yaml', plan);
    const planted = forged({ run: 'touch owned' }, { author: 'AUTHOR' });
    const record = planted
      .trim()
      .replace('"owner":"bob"', '"owner":"eve"')
      .replaceAll('"', String.raw`\"`);
    const lead = String.raw`grep -o '"author":{"lead":[^}]*}' .tasks/planned/log.jsonl | tail -1 | cut -d: -f2-`;
    place.put(
      'plant.sh',
      `lead=$(${lead})\nprintf '\\n%s\\n' "${record.replace(String.raw`\"AUTHOR\"`, '$lead')}" >> .tasks/planned/log.jsonl\n`,
    );
    const { code, out } = await place.teams('run', 'plan.yaml', '--json');
    expect(code).toBe(4);
    expect(JSON.parse(out)).toMatchObject({
      outcome: 'waiting',
      exitCode: 4,
      notes: [expect.stringMatching(/UNTRUSTED.*doctor --trust planned/)],
    });
    expect(await place.json(z.looseObject({}), 'status', 'planned')).toMatchObject({ outcome: 'waiting' });
    expect(readFileSync(join(place.root, '.tasks/planned/log.jsonl'), 'utf8')).toContain('touch owned');
    expect(owned()).toBe(false);
  });
});

it('a checkpoint gives no task a command: only the record in the log does', async () => {
  await place.teams('task', 'create', 'login', 'Mine', '--run', 'echo mine');
  for (const [from, to] of [
    ['echo mine', 'touch owned'],
    ['"verify":[]', '"verify":["touch owned"]'],
    ['"env":{}', '"env":{"PATH":"/tmp"}'],
  ] as const) {
    forgeCheckpoint(from, to);
    const board = boardFromCheckpoint(teamPaths(place.root, name('login')));
    board.fold();
    expect(['1', '2'].map((id) => board.board.tasks.get(id)?.work)).toMatchObject([
      { verify: [], env: {} },
      { run: 'echo mine', verify: [], env: {} },
    ]);
    board.close();
  }
});
