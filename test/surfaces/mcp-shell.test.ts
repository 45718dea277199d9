/**
 * `teams mcp --with-shell`: a host without tools of its own gets shell and files, as far as its role and sandbox allow.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { WORKSPACE_TOOLS } from '../../src/model/team/tool.ts';
import { Workplace } from '../support/cli.ts';
import { Host } from '../support/mcp-host.ts';
import { running } from '../support/processes.ts';

let place: Workplace;
beforeEach(() => {
  // Its commands run not isolated here; test/threats/wall.test.ts tests them isolated.
  place = new Workplace({ TEAMS_SANDBOX_BWRAP: 'off', FAKE_API_KEY: 'canary' });
});

const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const offered = async (host: Host): Promise<string[]> => (await host.client.listTools()).tools.map(({ name }) => name);

describe('a host that leads', () => {
  test('a host that leads is offered neither shell nor files unless it asks for them', async () => {
    await using host = await Host.on(place);
    expect(await offered(host)).not.toEqual(expect.arrayContaining([...WORKSPACE_TOOLS]));
    for (const tool of WORKSPACE_TOOLS)
      expect(await host.call(tool, { command: 'touch owned', path: 'owned', content: '' })).toMatchObject({
        isError: true,
        text: like(/^USAGE: There is no tool/),
      });
    expect(existsSync(join(place.root, 'owned'))).toBe(false);
  });

  test('a host with --with-shell works in its directory, and its commands get no key', async () => {
    await using host = await Host.on(place, '--with-shell');
    expect(await offered(host)).toEqual(expect.arrayContaining([...WORKSPACE_TOOLS]));
    const { tools } = await host.client.listTools();
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]));
    expect(WORKSPACE_TOOLS.map((tool) => hints[tool])).toEqual([false, true, false, false]);
    await host.say('write_file', { path: 'src/a.ts', content: 'let a = 1;\n' });
    await host.say('edit_file', { file_path: 'src/a.ts', old_string: '1', new_string: '2' });
    expect(await host.say('read_file', { path: 'src/a.ts' })).toBe('     1\tlet a = 2;');
    expect(await host.say('bash', { command: 'cat src/a.ts; env' })).toMatch(/^let a = 2;\n(?![^]*canary)/);
    expect(await host.call('read_file', { path: '../../../etc/passwd' })).toMatchObject({
      isError: true,
      text: like(/^POLICY_DENIED: .*\(rule: workspace only\)/),
    });
    place.put('long.txt', 'x'.repeat(99).concat('\n').repeat(2_000));
    expect(await host.say('read_file', { path: 'long.txt' })).toMatch(/Go on with offset \d+\.\]$/);
  });

  test('commands of a host end when it disconnects', async () => {
    const host = await Host.on(place, '--with-shell');
    const command = 'touch begun; setsid sleep 307 & sleep 308';
    const gone = host.call('bash', { command }).catch(() => undefined);
    await expect.poll(() => existsSync(join(place.root, 'begun'))).toBe(true);
    await host.client.close();
    await gone;
    await expect.poll(() => running().filter((one) => /sleep 30[78]/.test(one.command)).length).toBe(0);
  });
});

describe('a host that works as a member', () => {
  const plan = (sandbox: string, planApproval: boolean): string =>
    JSON.stringify({
      name: 'solo',
      members: [{ name: 'eve', role: 'executor', agent: { kind: 'scripted' }, sandbox, planApproval }],
      tasks: [{ key: 'a', subject: 'a', owner: 'eve', prompt: 'a' }],
    });

  test.each([
    ['read-only', ['read_file']],
    ['workspace-write', ['bash', 'read_file', 'write_file', 'edit_file']],
  ])('a member with the sandbox %s is offered %j', async (sandbox, tools) => {
    place.put('plan.json', plan(sandbox, false));
    await place.teams('run', 'plan.json');
    await using host = await Host.on(place, '--team', 'solo', '--as', 'eve', '--with-shell');
    expect((await offered(host)).filter((name) => WORKSPACE_TOOLS.some((tool) => tool === name))).toEqual(tools);
    const written = await host.call('write_file', { path: 'a.txt', content: 'mine' });
    if (sandbox === 'read-only') expect(written.text).toMatch(/^POLICY_DENIED: .*\(rule: read-only sandbox\)/);
    else expect(readFileSync(join(place.root, 'a.txt'), 'utf8')).toBe('mine');
  });
});

describe('a sandbox that is required', () => {
  test('a required sandbox that is not available ends the server with exit 5 and the cure', async () => {
    const { code, err } = await place.say(['mcp', '--with-shell'], {
      environment: { TEAMS_SANDBOX_BWRAP: 'required', PATH: join(place.root, 'nothing') },
    });
    expect([code, err]).toEqual([5, like(/bubblewrap is not installed.*apt-get install bubblewrap/)]);
  });
});
