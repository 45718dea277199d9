/**
 * Whose commands run: a member's process never gives a task a command, whichever door it tries, and no runner starts a
 * command that nobody with the right to it wrote (threats 5 and 7 of docs/reliability.md).
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { takeLead } from '../../src/runtime/lead/leadership.ts';
import { teamPaths } from '../../src/store/files/paths.ts';
import { openStore } from '../../src/store/team/team-store.ts';
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
