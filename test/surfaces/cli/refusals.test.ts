/** What a stranger types: each refusal is one sentence with the culprit and the cure, and has the right exit code. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { until, Workplace } from '../../support/cli.ts';

let place: Workplace;

/** The exit code, and what is on stderr after `teams: `. */
async function refused(...argv: string[]): Promise<[number, string]> {
  const { code, err } = await place.teams(...argv);
  return [code, err.replace(/^teams: /, '').trim()];
}

beforeEach(async () => {
  place = new Workplace();
  await place.teams('create', 'login', '--member', 'ada');
  await place.teams('task', 'create', 'login', 'First');
});

describe('a refusal', () => {
  it.each([
    [['task', 'create', '--nonsense'], "Unknown option '--nonsense'; see `teams task create --help`."],
    [['--root', '.', 'task', 'list', '--nonsense'], "Unknown option '--nonsense'; see `teams task list --help`."],
    [
      ['config', 'show', 'x'],
      "Too many arguments for 'show'. Expected 0 arguments but got 1; see `teams config show --help`.",
    ],
    [['task', 'nonsense'], "Unknown command 'nonsense'; see `teams task --help`."],
    [['task'], '`teams task` needs a verb after it; `teams task --help` lists them.'],
    [['help', 'nonsense'], 'There is no verb "nonsense"; `teams --help` lists them.'],
    [['help', 'stauts'], 'There is no verb "stauts"; did you mean "status"?'],
    [['why', 'login', 'bob'], 'Team login has neither a member nor a task bob; `teams status login` lists both.'],
    [['why', 'login', 'adaa'], 'Team login has neither a member nor a task adaa; did you mean "ada"?'],
    [['task', 'get', 'login', '9'], 'There is no task "9"; `teams task list login` shows them.'],
    [['task', 'list', 'login', '--owner', 'bob'], 'Team login has no member bob; `teams status login` lists them.'],
    [['task', 'create', 'login', 'X', '--run', ''], '--run is empty; leave it out.'],
    [['task', 'create', 'login', 'X', '--verify', ''], '--verify is empty; leave it out.'],
    [
      ['task', 'create', 'login', 'X', '--run', 'true', '--prompt', 'Do it'],
      '--run is for a command, --prompt for an agent; use only one of them.',
    ],
    [['task', 'create', 'login', 'X', '--retries', '101'], 'Expected "retries" to be at most 100, got 101.'],
    [['task', 'create', 'login', 'X', '--key', ''], 'Expected "key" not to be empty.'],
    [
      ['task', 'create', 'login', '--subject', 'X', 'Y'],
      'Unexpected argument "Y"; leave it out, or put a text of several words in quotes.',
    ],
    [
      ['send', 'login', 'ada', 'hi', '--kind', 'x'.repeat(65)],
      'This message cannot be sent: expected "kind" to have at most 64 characters.',
    ],
    [['log', 'login', '--from', '3'], '--from is for a record: give --session, too.'],
    [['budget', 'login', '--set', 'member.adda.cost=5'], 'There is no member adda to limit; did you mean "ada"?'],
    [['budget', 'login', '--set', 'task.9.cost=5'], 'There is no task #9 to limit; `teams task list` shows them.'],
    [['budget', 'login', '--set', 'cost=-5'], 'Expected "cost" to be at least 0, got -5.'],
    [['replay', 'login', '--save-test', ''], '--save-test: Expected "saveTest" not to be empty.'],
    [
      ['pr', 'login'],
      'Nothing was pushed: the members of team login have no trees of their own, they wrote into your files.',
    ],
    [['--root', '', 'list'], '--root is empty; name a folder, or leave it out.'],
    [
      ['validate'],
      'Which plan? There is no teams.yaml here; `teams init` writes one, or name another by its path, or - for one from stdin.',
    ],
  ])('of %j says what is wrong and what to do', async (argv, message) => {
    expect(await refused(...argv)).toEqual([2, message]);
  });

  it('of a team that there is not says how to see which there are', async () => {
    expect(await refused('status', 'nothing')).toEqual([
      2,
      `There is no team nothing under ${place.root}; \`teams list --all\` lists the teams there.`,
    ]);
    expect(await refused('wait', 'logn')).toEqual([
      2,
      `There is no team logn under ${place.root}; did you mean "login"?`,
    ]);
  });

  it('of an agent that is unknown comes from route, too', async () => {
    expect(await refused('route', 'fix it', '--agent', 'cluade')).toEqual([
      2,
      expect.stringMatching(/^Unknown agent "cluade"; did you mean "claude"\?/),
    ]);
  });

  it('of spawn without a lead names a command that works for a new member', async () => {
    const [code, said] = await refused('spawn', 'login', 'bob');
    expect([code, said]).toEqual([3, expect.stringContaining('`teams worker login bob --join --agent exec`')]);
    expect((await refused('spawn', 'login', 'ada'))[1]).toContain('`teams worker login ada --agent exec`');
  });

  it('of a limit that is no limit comes before all else, and quotes what was typed', async () => {
    const message = (limit: string): string =>
      `--budget: Expected a limit such as cost=5, member.ada.tokens=100000, task.3.time=10m or day.cost=20, got "${limit}".`;
    expect(await refused('pipeline', 'impl-only', 'x', '--budget', 'much')).toEqual([2, message('much')]);
    expect(await refused('resume', 'login', '--budget', '')).toEqual([2, message('')]);
    expect(await refused('worker', 'login', 'ada', '--agent', 'exec', '--budget', 'much')).toEqual([
      2,
      message('much'),
    ]);
  });

  it('of a limit for a member that the plan does not have comes before the team is made', async () => {
    place.put('p.yaml', 'name: shop\nmembers: [{ name: ada, agent: exec }]\ntasks: [{ subject: One, run: "true" }]\n');
    for (const [limit, message] of [
      ['member.adda.cost=2', 'There is no member adda to limit; did you mean "ada"?'],
      ['task.2.cost=2', 'There is no task #2 to limit; `teams task list` shows them.'],
    ] as const)
      expect(await refused('run', 'p.yaml', '--budget', limit)).toEqual([2, message]);
    expect(existsSync(join(place.root, '.teams/shop'))).toBe(false);
  });

  it.each(['refine', 'relay'])('of a folder with a name that no disk takes is one sentence: %s', async (verb) => {
    const words =
      verb === 'refine'
        ? ['fix it', '--backend', 'exec:true', '--reviewer', 'exec:true']
        : ['--to', 'exec:true', '--prompt', 'x'];
    const [code, said] = await refused(verb, ...words, '--repo', 'x'.repeat(3_000));
    expect([code, said.slice(0, 30)]).toEqual([2, '--repo: there is no directory ']);
  });

  it('of a place for a test among the files of teams keeps the log of the board', async () => {
    place.put('p.yaml', 'name: shop\nmembers: [{ name: ada, agent: exec }]\ntasks: [{ subject: One, run: "true" }]\n');
    await place.start('run', 'p.yaml').ended;
    const log = join(place.root, '.tasks/shop/log.jsonl');
    const before = readFileSync(log, 'utf8');
    expect(await refused('replay', 'shop', '--save-test', '.tasks/shop/log.jsonl')).toEqual([
      2,
      `${log} is among the files of teams; choose another place.`,
    ]);
    expect(readFileSync(log, 'utf8')).toBe(before);
    expect(await refused('replay', 'shop', '--save-test', '.')).toEqual([
      2,
      `${place.root} is a folder; name a file in it.`,
    ]);
  });
});

it('a lead in the background of a team that another process leads is refused with that process', async () => {
  expect((await place.teams('lead', 'login', '--detach')).code).toBe(0);
  expect(await refused('lead', 'login', '--detach')).toEqual([
    3,
    expect.stringMatching(/^Team login is led by pid [0-9]+ since .*; `--takeover` replaces it\.$/),
  ]);
  expect((await place.teams('delete', 'login')).code).toBe(0);
});

it('a delete that waits for a member says so, and what does not wait', async () => {
  const patient = { environment: { TEAMS_SHUTDOWN_TIMEOUT_MS: '2000' } };
  await place.teams('task', 'create', 'login', 'Long', '--owner', 'ada', '--run', 'touch began; sleep 600');
  await place.teams('task', 'skip', 'login', '1');
  await place.say(['lead', 'login', '--detach'], patient);
  await place.teams('spawn', 'login', 'ada', '--agent', 'exec');
  await until(() => existsSync(join(place.root, 'began')), 'the task begins');
  const { code, err } = await place.say(['delete', 'login'], patient);
  expect([code, err]).toEqual([
    0,
    'The members of login are asked to stop and may end what they do; `teams delete login --now` does not wait for them.\n',
  ]);
});

describe('an answer that is empty', () => {
  it('says what is not there', async () => {
    expect(await refused('inbox', 'login', 'ada')).toEqual([0, 'No unread mail; --history shows what was read.']);
    expect(await refused('inbox', 'login', 'ada', '--history')).toEqual([0, 'No read mail.']);
    expect((await place.teams('inbox', 'login', 'ada', '--json')).out).toContain('"messages":[]');
    expect(await refused('prune')).toEqual([
      0,
      'No archived team is older than 30 days; `teams prune --all` removes those of any age.',
    ]);
  });
});

it('a word that names the only team, which is archived, is no task', async () => {
  await place.teams('delete', 'login');
  for (const argv of [
    ['task', 'approve', 'login', '1'],
    ['task', 'unblock', 'login', '1'],
    ['answer', 'login', 'x'],
  ])
    expect(await refused(...argv)).toEqual([2, expect.stringMatching(/^Team login was archived on /)]);
});

it('the permissions of an archived team are shown, and none is taken back', async () => {
  await place.teams('delete', 'login');
  expect((await place.teams('approvals', 'login')).out).toBe('No agent of login asked for a permission.\n');
  expect(await refused('approvals', 'login', '--remove', '1')).toEqual([2, expect.stringContaining('was archived on')]);
});
