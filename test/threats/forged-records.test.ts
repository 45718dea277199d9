/**
 * Ledgers, receipts and acknowledgements that somebody else writes: an isolated member, one that is not isolated and
 * drops its token, and a repository that brings a whole team.
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findProgram } from '../../src/os/program-path.ts';
import { failureSchema, Workplace } from '../support/cli.ts';
import { asMember } from '../support/member.ts';

const hasBubblewrap = findProgram('bwrap', process.env['PATH'] ?? '') !== undefined;

let place: Workplace;
let project: string;
const of = (...path: string[]): string => join(project, '.teams/crew', ...path);
const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
const say = (argv: readonly string[], environment: Record<string, string> = {}) =>
  place.say(argv, { cwd: project, environment });
const spending = (): string => join(place.root, 'home/state/teams/spending');
const days = (): string[] => readdirSync(spending()).filter((file) => file.endsWith('.jsonl'));

beforeEach(() => {
  place = new Workplace();
  project = join(place.root, 'project');
  mkdirSync(project);
});

it.skipIf(!hasBubblewrap)('an isolated member reaches none of them, by files or by verbs', async () => {
  expect((await say(['budget', '--day', '--set', 'turns=1000'])).code).toBe(0);
  const targets = ['ledger.jsonl', 'bob_receipts.jsonl', 'bob_history.jsonl', 'events.jsonl', 'state.json'];
  const paths = [...targets.map((file) => of(file)), ...days().map((day) => join(spending(), day))];
  place.put(
    'project/forge.sh',
    [
      ...paths.map((path) => `echo forged >>'${path}'; echo forged >'${path}'`),
      'for verb in "budget crew --add turns=900" "budget --day --set turns=9000" "take crew bob" "inbox crew bob"; do',
      '  teams $verb >>said.txt 2>&1; echo "$? $verb" >>codes.txt',
      '  env -u TEAMS_TOKEN -u TEAMS_SOCKET teams $verb >>said.txt 2>&1; echo "$? $verb" >>codes.txt',
      'done 2>/dev/null; exit 0',
    ].join('\n'),
  );
  const plan = {
    name: 'crew',
    budget: { turns: 50 },
    members: [
      { name: 'ada', agent: { kind: 'exec' }, sandbox: 'workspace-write' },
      { name: 'bob', agent: { kind: 'exec' } },
    ],
    tasks: [{ subject: 'Forge', owner: 'ada', run: 'sh forge.sh' }],
  };
  place.put('project/plan.json', JSON.stringify(plan));
  const { code, err, out } = await say(['run', 'plan.json']);
  expect(code, `${err}${out}`).toBe(0);
  const codes = read(join(project, 'codes.txt')).trim().split('\n');
  expect(codes).toHaveLength(8);
  expect(
    codes.filter((line) => /^(?:0|126|127) /.test(line)),
    read(join(project, 'said.txt')),
  ).toEqual([]);
  for (const path of paths) expect([path, read(path).includes('forged')]).toEqual([path, false]);
  const budget = await say(['budget', 'crew', '--json']);
  expect(budget.out).toContain('50');
  expect(budget.out).not.toContain('950');
  expect((await say(['budget', '--day', '--json'])).out).not.toContain('9000');
});

describe('a member that is not isolated', () => {
  let ada: Record<string, string>;
  beforeEach(async () => {
    expect((await say(['create', 'crew', '--member', 'ada', '--member', 'bob'])).code).toBe(0);
    expect((await say(['budget', 'crew', '--set', 'turns=50'])).code).toBe(0);
    ada = await asMember({ root: project, environment: place.environment }, 'crew', 'ada');
  });

  it.each([
    ['budget', 'crew', '--add', 'turns=900'],
    ['budget', '--day', '--set', 'turns=9000'],
    ['take', 'crew', 'bob'],
  ])('is refused %s %s %s', async (...argv) => {
    const before = read(of('ledger.jsonl'));
    await say(['send', 'crew', 'bob', 'hello']);
    const { code, out } = await say([...argv, '--json'], ada);
    expect([code, failureSchema.parse(JSON.parse(out)).error.code]).toEqual([2, 'POLICY_DENIED']);
    expect(read(of('ledger.jsonl'))).toBe(before);
    expect(read(of('bob_inbox.jsonl'))).toContain('hello');
  });

  const [AT, ENTRY] = ['2026-01-01T00:00:00.000Z', { do: 'limit', scope: 'team', limit: { turns: 9_000 } }];
  it.each([
    ['names no record before', JSON.stringify({ v: 1, chain: '0'.repeat(32), at: AT, entry: ENTRY })],
    ['names the chain of another', `{"v":1,"chain":"${'a'.repeat(32)}","at":"${AT}","entry":${JSON.stringify(ENTRY)}}`],
  ])('stops all spending by a record that %s: its limit does not count', async (_, line) => {
    appendFileSync(of('ledger.jsonl'), `\n${line}\n`);
    for (const argv of [
      ['budget', 'crew'],
      ['budget', 'crew', '--add', 'turns=1'],
    ]) {
      const { code, err, out } = await say(argv);
      expect([code, `${err}${out}`]).toEqual([4, expect.stringContaining('does not follow the one before') as string]);
    }
  });

  it('changes no numbers of the past by receipts that are no receipts', async () => {
    await say(['send', 'crew', 'bob', 'hello']);
    const bad = [
      '{',
      '{"at":5}',
      '{"at":"x","log":-1,"ids":[]}',
      '[]',
      'null',
      `{"at":"\\u001b[2J","log":1e400,"ids":["a"]}`,
    ];
    appendFileSync(of('bob_receipts.jsonl'), `${bad.join('\n')}\n`);
    for (const argv of [
      ['status', 'crew'],
      ['inbox', 'crew', 'bob'],
      ['log', 'crew'],
      ['take', 'crew', 'bob'],
    ]) {
      const { code, out, err } = await say(argv);
      expect([argv, code, `${out}${err}`.includes('\u001b')]).toEqual([argv, 0, false]);
    }
  });
});

it('a repository that brings a team has no limits, receipts or acknowledgements that count for its user', async () => {
  expect((await say(['create', 'crew', '--member', 'ada', '--member', 'bob'])).code).toBe(0);
  expect((await say(['budget', 'crew', '--set', 'turns=50'])).code).toBe(0);
  const theirs = new Workplace();
  for (const folder of ['.teams', '.tasks'])
    cpSync(join(project, folder), join(theirs.root, 'clone', folder), { recursive: true });
  const cwd = join(theirs.root, 'clone');
  for (const argv of [
    ['resume', 'crew'],
    ['lead', 'crew'],
    ['worker', 'crew', 'ada'],
  ]) {
    const { code, out } = await theirs.say([...argv, '--json'], { cwd });
    expect([argv, code, failureSchema.parse(JSON.parse(out)).error.code]).toEqual([argv, 4, 'UNTRUSTED']);
  }
  expect(existsSync(join(theirs.root, 'home/state/teams/spending'))).toBe(false);
});
