/** The verbs that show what happened: events, output, reasons, reports. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { failureSchema, listener, until, Workplace } from '../../support/cli.ts';

const eventSchema = z.looseObject({ number: z.number(), type: z.string(), at: z.string() });

let place: Workplace;
const events = async (...argv: string[]) =>
  (await place.teams('log', ...argv, '--json')).out
    .split('\n')
    .filter(Boolean)
    .map((line) => eventSchema.parse(JSON.parse(line)));

beforeEach(async () => {
  place = new Workplace();
  await place.teams('create', 'login', '--member', 'ada');
  await place.teams('task', 'create', 'Write tests', '--owner', 'ada');
});

describe('log --session', () => {
  const SESSION = 'TLS-login-2026-02-27';
  const RECORD = '--session TLS-login-2026-02-27 --from writer --to coordinator --type draft_ready --summary'.split(
    ' ',
  );
  const log = (...argv: string[]) => place.teams('log', ...argv, '--json');
  beforeEach(async () => {
    await place.teams('create', SESSION.toLowerCase(), '--profile', 'pipeline', '--member', 'writer:writer');
  });

  it('log --session writes one record in the specified form, and answers with its number', async () => {
    const summary = '[writer] DRAFT-001 complete.';
    const first = await log(...RECORD, summary, '--ref', 'spec/brief.md');
    expect(JSON.parse(first.out)).toEqual({
      schemaVersion: 2,
      record: {
        seq: 1,
        session: SESSION,
        from: 'writer',
        to: 'coordinator',
        kind: 'draft_ready',
        summary,
        ref: 'spec/brief.md',
      },
    });
    expect((await place.teams('log', ...RECORD, 'more')).out).toBe('logged  #2  [writer] more\n');
    const told = (await place.teams('log', SESSION.toLowerCase())).out;
    expect(told).toMatch(/\[writer\] logged #1 draft_ready: \[writer\] DRAFT-001 complete\. \(spec\/brief\.md\)\n/);
    expect(told).toMatch(/\[writer\] logged #2 draft_ready: \[writer\] more\n/);
  });

  it.each([
    ["a team's name", { session: SESSION.toLowerCase() }, 'USAGE', `here ${SESSION}`],
    ['the name of a team that has no session', { session: 'login' }, 'USAGE', 'that team has none'],
    ['an unknown session', { session: 'TLS-login-2026-02-28' }, 'UNKNOWN_TEAM', `did you mean "${SESSION}"`],
    ['a role that no member has', { from: 'tester' }, 'UNKNOWN_MEMBER', 'there are: writer'],
    ['another reader', { to: 'writer' }, 'POLICY_DENIED', 'role isolation'],
    ['an invalid type', { type: 'Draft ready' }, 'USAGE', '--type'],
    ['no summary', { summary: '' }, 'USAGE', '--summary'],
  ])('log --session refuses %s, with a hint', async (_, wrong, code, hint) => {
    const said = { session: SESSION, from: 'writer', to: 'coordinator', type: 'done', summary: 'x', ...wrong };
    const { code: exit, out } = await log(...Object.entries(said).flatMap(([name, value]) => [`--${name}`, value]));
    const { error } = failureSchema.parse(JSON.parse(out));
    expect({ exit, code: error.code }).toEqual({ exit: 2, code });
    expect(error.message).toContain(hint);
  });
});

describe('wisdom', () => {
  it('a bullet of wisdom is added once, and shown', async () => {
    expect((await place.teams('wisdom', 'login', 'issues', 'No retries.\n- No tests.')).out).toBe(
      '- No retries.\n- No tests.\n',
    );
    expect((await place.teams('wisdom', 'issues', 'No tests.')).out).toBe('already noted\n');
    expect((await place.teams('wisdom', 'login')).out).toBe('# issues\n- No retries.\n- No tests.\n');
    expect((await place.teams('wisdom', 'gossip', 'x')).err).toMatch(/learnings, decisions, conventions, issues/);
  });
});

describe('log', () => {
  it('log shows the events, a line each', async () => {
    const { out } = await place.teams('log', 'login');
    expect(out).toMatch(/^\d+ {2}\d\d:\d\d:\d\d \[lead\] added #1 Write tests$/m);
  });

  it('log goes on from a given number', async () => {
    const all = await events('login');
    expect(all.map(({ number }) => number)).toEqual(all.map((_, index) => index + 1));
    expect(await events('--since', '2')).toEqual(all.slice(2));
    expect(await events('--since', '1000')).toEqual([]);
  });

  it('log follows new events', async () => {
    const { leave, heard, ...world } = listener();
    const following = place.say(['log', '--follow', '--json', '--since', String((await events()).length)], world);
    await place.teams('task', 'claim', '1', '--as', 'ada');
    await until(() => heard.length > 0, 'the claim');
    leave();
    expect((await following).code).toBe(0);
    expect(JSON.parse(heard[0] ?? '')).toMatchObject({
      type: 'task.claimed',
      member: 'ada',
      task: { id: '1', subject: 'Write tests' },
    });
  });

  it('log follows to the end of a team', async () => {
    const following = place.teams('log', '--follow');
    await place.teams('delete', 'login', '--yes');
    expect((await following).out).toContain('closed the team');
  });

  it('log reads an archived team too', async () => {
    const before = await events('login');
    await place.teams('delete', 'login', '--yes');
    expect((await events('login')).slice(0, before.length)).toEqual(before);
  });

  it('log sends no control sequence to a terminal', async () => {
    await place.teams('task', 'create', 'Evil \u001b]0;title\u0007\u001b[2Jtask\u202e');
    expect((await place.teams('log')).out).toContain('Evil task\n');
  });
});

describe('verbs that follow, as processes', () => {
  /** Runs a verb with its output in a file. One that does not end by itself is ended. */
  const follow = (verb: string, file: string) => {
    const ended = place.shell(`exec timeout 30 teams ${verb} --follow --json >${file}`);
    const path = join(place.root, file);
    const shows = (text: string, times = 1) =>
      until(() => existsSync(path) && readFileSync(path, 'utf8').split(text).length > times, `${text} in ${file}`);
    return { ended, shows };
  };

  it('following verbs show new events across a taken inbox and a team that was removed and created again, and end with the team', async () => {
    const [log, inbox] = [follow('log', 'log.out'), follow('inbox ada', 'inbox.out')];
    await Promise.all([log.shows('task.created'), until(() => existsSync(join(place.root, 'inbox.out')), 'a process')]);
    await place.teams('send', 'ada', 'first');
    await inbox.shows('first');
    await place.teams('take', 'ada');
    await place.teams('send', 'ada', 'second');
    await inbox.shows('second');
    for (const folder of ['.teams/login', '.tasks/login']) rmSync(join(place.root, folder), { recursive: true });
    await place.teams('create', 'login', '--member', 'ada');
    await place.teams('send', 'ada', 'third');
    await Promise.all([inbox.shows('third'), log.shows('log.opened', 2)]);
    await place.teams('delete', 'login', '--yes');
    expect([await log.ended, await inbox.ended]).toMatchObject([{ code: 0 }, { code: 0 }]);
    const told = readFileSync(join(place.root, 'inbox.out'), 'utf8').match(/"content":"\w+"/g);
    expect(told).toEqual(['first', 'second', 'third'].map((text) => `"content":"${text}"`));
  });

  it('following verbs end by themselves when the team is archived', async () => {
    await place.teams('delete', 'login', '--yes');
    for (const verb of [['log'], ['inbox', 'ada'], ['logs', 'ada']]) {
      const [name = '', ...rest] = verb;
      expect((await place.teams(name, 'login', ...rest, '--follow')).code).toBe(0);
    }
  });
});

describe('logs', () => {
  const file = (): string => join(place.root, '.teams/login/logs/ada.log');

  beforeEach(() => {
    mkdirSync(join(place.root, '.teams/login/logs'), { recursive: true });
    writeFileSync(file(), 'one \u001b[31mred\u001b[0m\ntwo\nno end');
  });

  it('logs shows what a member printed, safely', async () => {
    expect((await place.teams('logs', 'login', 'ada')).out).toBe('one red\ntwo\nno end\n');
    const lines = (await place.teams('logs', 'ada', '--json')).out.split('\n');
    expect(lines[1]).toBe('{"schemaVersion":2,"member":"ada","line":"two"}');
  });

  it('logs follows the output, also across a rotation', async () => {
    const { leave, heard, ...world } = listener();
    const following = place.say(['logs', 'ada', '--follow'], world);
    await until(() => heard.join('') === 'one red\ntwo\n', 'what was printed before');
    appendFileSync(file(), ' yet\nthree\n');
    renameSync(file(), `${file()}.1`);
    writeFileSync(file(), 'four\n');
    await until(() => heard.join('').endsWith('four\n'), 'what was printed after');
    leave();
    await following;
    expect(heard.join('')).toBe('one red\ntwo\nno end yet\nthree\nfour\n');
  });

  it('logs shows nothing of a member that printed nothing', async () => {
    expect(await place.teams('logs', 'lead')).toEqual({ code: 0, out: '', err: '' });
  });

  it('logs refuses an unknown member and an unknown task', async () => {
    expect((await place.teams('logs', 'cy')).code).toBe(2);
    expect((await place.teams('logs', '--task', '99')).code).toBe(2);
  });

  it('logs without a member shows the lines of all, with their names', async () => {
    expect((await place.teams('logs', 'login')).out).toBe('[ada] one red\n[ada] two\n[ada] no end\n');
    const lines = (await place.teams('logs', 'login', '--json')).out.split('\n');
    expect(lines[1]).toBe('{"schemaVersion":2,"member":"ada","line":"two"}');
  });
});

describe('at', () => {
  it('shows the board as it stood', async () => {
    const [, { number: joined } = { number: 0 }] = (await events('login')).filter(({ type }) => type !== 'log.opened');
    const before = (await place.teams('at', 'login', String(joined))).out;
    expect(before).toMatch(/^Team login at [\d:]{8} \(.+\): event 3 of \d+, line \d+ of the board's log; open\n/);
    expect(before).toContain('Tasks: 0');
    expect((await place.teams('at', '99:99')).code).toBe(2);
    const asked = await place.teams('at', 'login');
    expect(asked.err).toContain('Which moment?');
    expect((await place.teams('at', 'login', new Date(Date.now() + 1_000).toISOString())).out).toContain(
      '#1  ready  ada',
    );
  });
});

describe('why', () => {
  it.each([
    ['the team', [], 'team login'],
    ['a member', ['ada'], 'member ada'],
    ['a task', ['1'], 'task #1'],
  ])('why says for %s who must act', async (_, words, subject) => {
    const shape = z.looseObject({
      schemaVersion: z.literal(2),
      subject: z.string(),
      waitingFor: z.string().nullable(),
      events: z.array(eventSchema),
    });
    expect(await place.json(shape, 'why', 'login', ...words)).toMatchObject({ subject });
    expect((await place.teams('why', ...words)).out).toMatch(/^[A-Z].*\.\n/);
  });

  it('the lines of why name their member, but for the one that was asked about', async () => {
    const member = (await place.teams('why', 'ada')).out;
    expect(member).toMatch(/\n {2}[\d:]{8} joined as executor/);
    expect((await place.teams('why')).out).toMatch(/\n {2}[\d:]{8} \[ada\] joined as executor/);
    expect((await place.teams('list')).out).toMatch(/ {2}1 member {2}/);
  });

  it('why refuses what is neither a member nor a task', async () => {
    expect((await place.teams('why', 'login', 'nothing')).code).toBe(2);
  });
});

describe('report', () => {
  it('report has the same facts as text and as JSON', async () => {
    const report = await place.json(
      z.looseObject({ schemaVersion: z.literal(2), team: z.string(), tasks: z.array(z.looseObject({})) }),
      'report',
    );
    expect(report).toMatchObject({ team: 'login', tasks: [{ id: '1', subject: 'Write tests' }] });
    expect((await place.teams('report', 'login')).out).toContain('#1: Write tests');
  });
});
