/** A team of an MCP host whose members have trees of their own: what they change lands, and the host's tools apply it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openHandle } from '../../../src/runtime/team/team-handle.ts';
import { until } from '../../support/cli.ts';
import { Host } from '../../support/mcp-host.ts';
import { git, scene, userState, type Scene } from '../../support/tree-scene.ts';
import { openPage } from '../../support/web.ts';

/** A command writes a file of its own, with what it was told when its change came back. */
const AGENTS = {
  writer: { kind: 'exec', command: 'cat >/dev/null; echo "${TEAMS_NOTE:-first}" >$TEAMS_MEMBER.txt' },
  helper: { kind: 'exec', command: 'cat >/dev/null; head -1 a.txt; echo x >helped.txt || echo refused' },
};

function project(
  config: object = {},
): Scene & { readonly host: { root: string; environment: Record<string, string> } } {
  const one = scene({ tasks: [] });
  // As the first run does it.
  writeFileSync(join(one.at, '.git/info/exclude'), '.teams/\n.tasks/\n');
  one.place.put('home/config/teams/config.yaml', JSON.stringify({ agents: AGENTS, ...config }));
  return { ...one, host: { root: one.at, environment: one.place.environment } };
}

const text = (at: string, name: string): string | undefined =>
  existsSync(join(at, name)) ? readFileSync(join(at, name), 'utf8') : undefined;

const isListed = (host: Host, what: RegExp) => async () => what.test(await host.say('TaskList'));
const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);

/** Makes a team with trees, its members, and a task for each. */
async function crew(host: Host, names: readonly string[], more: object = {}): Promise<void> {
  await host.say('TeamCreate', { name: 'login', isolation: 'trees', ...more });
  for (const name of names) {
    await host.say('Task', { prompt: 'begin', team_name: 'login', name, agent: 'writer' });
    await host.say('TaskCreate', { subject: `File of ${name}`, description: 'x', owner: name });
  }
}

describe('a team with trees of an MCP host', () => {
  test('lands what its members change, and brings it into the files only by TeamApply', async () => {
    const { at, host: where, teams } = project();
    const before = userState(at);
    await using host = await Host.on(where);
    await crew(host, ['ada', 'bob']);
    await until(isListed(host, /#1 \[completed\][^]*#2 \[completed\]/), 'both changes landed', 60_000);
    expect(userState(at)).toEqual(before);
    expect(await host.say('TeamDiff', { taskId: '1' })).toMatch(/^diff --git [^]*\+first/);
    expect(await host.say('TeamDiff', { taskId: '1' })).not.toContain('bob.txt');
    expect(await host.say('TeamDiff')).toMatch(/ada\.txt[^]*bob\.txt/);
    expect(await host.call('TeamDelete', { name: 'login' })).toEqual({
      isError: true,
      text: like(/^REFUSED: The work of 2 tasks of team login has landed[^]*TeamApply/),
    });
    expect(await host.say('TeamApply', { taskId: '1' })).toMatch(/^added: ada\.txt\nApplied 1 task, 1 file\./);
    expect([text(at, 'ada.txt'), text(at, 'bob.txt')]).toEqual(['first\n', undefined]);
    // What a person changed at the same place stays.
    writeFileSync(join(at, 'bob.txt'), 'mine\n');
    expect(await host.call('TeamApply')).toEqual({
      isError: true,
      text: like(/^REFUSED: Nothing was applied[^]*bob\.txt/),
    });
    expect(text(at, 'bob.txt')).toBe('mine\n');
    writeFileSync(join(at, 'bob.txt'), 'first\n');
    await host.say('TeamApply');
    expect(await host.say('TeamApply')).toContain('Nothing to apply');
    // The team goes on after it, and the next apply begins from this one.
    await host.say('Task', { prompt: 'begin', team_name: 'login', name: 'cy', agent: 'writer' });
    await host.say('TaskCreate', { subject: 'Again', description: 'x', owner: 'cy' });
    await until(isListed(host, /#3 \[completed\]/), 'a later change landed', 60_000);
    expect(await host.say('TeamApply')).toMatch(/^added: cy\.txt\nApplied 1 task, 1 file\./);
    expect(await host.say('TeamDelete', { name: 'login' })).toContain('3 of 3 tasks');
    expect((await teams('undo', 'login', '--yes')).code).toBe(0);
    expect(text(at, 'cy.txt')).toBeUndefined();
    expect(git(at, 'fsck', '--no-dangling').trim()).toBe('');
  }, 120_000);

  test('is refused where trees are not possible, and nothing is made', async () => {
    const { at, host: where } = project();
    const root = join(at, 'below');
    mkdirSync(root);
    await using host = await Host.on({ ...where, root }, '--root', root);
    expect(await host.call('TeamCreate', { name: 'login', isolation: 'trees' })).toEqual({
      isError: true,
      text: like(/^NO_ISOLATION: /),
    });
    expect(await host.call('TeamCreate', { name: 'login', review: 'lead' })).toEqual({
      isError: true,
      text: like(/^NO_ISOLATION: `review: lead` holds changes of trees/),
    });
    expect(existsSync(join(root, '.teams/login'))).toBe(false);
  });

  test('has what the configuration says of trees, and its gates', async () => {
    const { at, host: where } = project({
      isolation: { mode: 'trees', review: 'person' },
      gates: { test: 'test ! -e bob.txt' },
    });
    await using host = await Host.on(where);
    expect(await host.say('TeamCreate', { name: 'login', review: 'lead' })).toContain('trees of their own');
    await host.say('Task', { prompt: 'begin', team_name: 'login', name: 'bob', agent: 'writer' });
    await host.say('TaskCreate', { subject: 'Write', description: 'x', owner: 'bob' });
    await until(isListed(host, /#1 \[landing\].*review of its change by a person/), 'a person is asked', 60_000);
    // A model does not answer for the person that the user named.
    expect(await host.call('TaskReview', { taskId: '1', approve: true })).toEqual({
      isError: true,
      text: like(/^POLICY_DENIED: .*waits for a person/),
    });
    await using team = openHandle('login', { root: at, environment: {} });
    const { judgeTask } = await import('../../../src/runtime/lead/task-judgement.ts');
    await judgeTask(team, '1', { approve: true, text: '' });
    await until(isListed(host, /#1 \[landing\].*review/), 'the red change came back and was made again', 60_000);
    const events = readFileSync(join(at, '.teams/login/events.jsonl'), 'utf8');
    expect(events).toContain('test ! -e bob.txt');
    await host.say('TeamDelete', { name: 'login', force: true });
  }, 90_000);

  test('waits for the review of the model that leads, which sends a change back with a note', async () => {
    const { at, host: where } = project();
    await using host = await Host.on(where);
    await crew(host, ['ada'], { review: 'lead' });
    await until(isListed(host, /#1 \[landing\].*by you: TeamDiff, then TaskReview/), 'a review is asked', 60_000);
    expect(await host.say('TeamDiff', { taskId: '1' })).toContain('+first');
    const refuse = { taskId: '1', approve: false };
    expect(await host.call('TaskReview', refuse)).toEqual({ isError: true, text: like(/^USAGE: /) });
    expect(await host.say('TaskReview', { ...refuse, note: 'more words' })).toMatch(/^Sent back: #1/);
    await until(
      async () => (await host.call('TeamDiff', { taskId: '1' })).text.includes('+more words'),
      'it came again with the note',
      60_000,
    );
    await until(isListed(host, /#1 \[landing\].*TaskReview/), 'it is asked again', 60_000);
    expect(await host.say('TaskReview', { taskId: '1', approve: true })).toMatch(/^Accepted: #1/);
    await until(isListed(host, /#1 \[completed\]/), 'it landed', 60_000);
    expect(await host.call('TaskReview', { taskId: '1', approve: true })).toEqual({
      isError: true,
      text: like(/^FINAL: /),
    });
    expect(await host.say('TeamApply')).toContain('added: ada.txt');
    expect(text(at, 'ada.txt')).toBe('more words\n');
    await host.say('TeamDelete', { name: 'login' });
  }, 90_000);

  test('waits for that model in the words of the command line, and a person may judge instead', async () => {
    const { at, host: where, teams } = project();
    await using host = await Host.on(where);
    await crew(host, ['ada'], { review: 'lead' });
    const asked = isListed(host, /#1 \[landing\].*TaskReview/);
    await until(asked, 'a review is asked', 60_000);
    const why = (await teams('why', 'login', '1')).out;
    expect(why).toContain('waits for a review of its change by the model that leads');
    expect(why).toContain('teams task approve login 1');
    expect(why).not.toContain("person's review");
    expect((await teams('status', 'login', '--json')).out).toContain('"outcome":"waiting"');
    expect((await teams('task', 'refuse', 'login', '1', 'more words')).code).toBe(0);
    const shows = (words: string) => async () => (await teams('diff', 'login', '1')).out.includes(`+${words}`);
    await until(shows('more words'), 'it came again with the note', 60_000);
    await until(asked, 'it is asked again', 60_000);
    const page = await openPage(at);
    expect((await page.do('login', { do: 'judge', task: '1', approve: false, text: 'fewer words' })).status).toBe(200);
    await until(shows('fewer words'), 'it came again with the other note', 60_000);
    await until(asked, 'it is asked again', 60_000);
    expect((await teams('task', 'approve', 'login', '1', '--as', 'ada')).err).toContain('only the lead answers');
    expect((await teams('task', 'approve', 'login', '1')).code).toBe(0);
    await until(isListed(host, /#1 \[completed\]/), 'it landed', 60_000);
    await host.say('TeamDelete', { name: 'login', force: true });
  }, 90_000);

  test('lets subagents of the model that leads read the project, and not change it', async () => {
    const { at, host: where } = project();
    await using host = await Host.on(where);
    expect(await host.say('TeamCreate', { name: 'login', isolation: 'trees' })).toMatch(/subagent[^.]* only reads/);
    writeFileSync(join(at, 'a.txt'), 'edited\n');
    expect(await host.say('Task', { prompt: 'Help.', agent: 'helper' })).toMatch(/^edited\nrefused/);
    expect(text(at, 'helped.txt')).toBeUndefined();
    await host.say('TeamDelete', { name: 'login' });
    // Without a team, as ever.
    expect(await host.say('Task', { prompt: 'Help.', agent: 'helper' })).not.toContain('refused');
    expect(text(at, 'helped.txt')).toBe('x\n');
  }, 60_000);

  test('goes on after its host, and lands without it', async () => {
    const { at, host: where, teams, landed } = project();
    {
      await using host = await Host.on(where, '--detach');
      await crew(host, ['ada'], { review: 'lead' });
      await until(isListed(host, /#1 \[landing\].*TaskReview/), 'a review is asked', 60_000);
    }
    await until(async () => (await teams('status', 'login')).out.includes('led'), 'it is led again', 30_000);
    expect((await teams('task', 'approve', 'login', '1')).code).toBe(0);
    await until(async () => (await teams('task', 'list', 'login')).out.includes('completed'), 'it landed', 60_000);
    await using host = await Host.on(where, '--detach');
    await until(isListed(host, /#1 \[completed\]/), 'the next host leads it', 30_000);
    expect(await host.say('TeamApply')).toContain('added: ada.txt');
    expect(text(at, 'ada.txt')).toBe('first\n');
    await host.say('TeamDelete', { name: 'login' });
    expect(landed('ada.txt')).toBe('first\n');
  }, 120_000);
});

test('the tools of trees say so where members have none', async () => {
  const { host: where } = project();
  await using host = await Host.on(where);
  await host.say('TeamCreate', { name: 'login' });
  await host.say('TaskCreate', { subject: 'One', description: 'x', owner: 'lead' });
  const none = { isError: true, text: like(/^USAGE: The members of team login have no trees of their own/) };
  expect(await host.call('TeamDiff')).toEqual(none);
  expect(await host.call('TeamApply')).toEqual(none);
  expect(await host.call('TaskReview', { taskId: '1', approve: true })).toEqual({
    isError: true,
    text: like(/^REFUSED: No change of task #1 waits for a review/),
  });
  await host.say('TeamDelete', { name: 'login' });
});
