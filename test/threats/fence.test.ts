/**
 * Program isolation: what an isolated program cannot change, what it still can, and what follows if there is no
 * bubblewrap.
 */
import { existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join as path } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { join } from '../../src/runtime/teammate/join.ts';
import { main } from '../../src/surfaces/cli/main.ts';
import { encodeIsolation } from '../../src/runtime/team/teammate-env.ts';
import type { MemberInput } from '../../src/runtime/team/membership.ts';
import { reopened, team, type Team } from '../support/session.ts';
import { name } from '../support/team.ts';
import { tempDir } from '../support/temp.ts';

const outside = path(homedir(), `.teams-fence-${process.pid}`);

async function work(member: Partial<MemberInput>, run: string, environment: Record<string, string>): Promise<Team> {
  onTestFinished(() => rmSync(outside, { force: true }));
  const on = await team({
    members: [{ name: 'ada', agent: { kind: 'exec' }, ...member }],
    tasks: [{ subject: 'Work', work: { run } }],
  });
  const teammate = await join(reopened(on.paths), name('ada'), { byHand: true, commandLine: main, environment });
  const left = teammate.run();
  await on.until('it is done', (board) => board.tasks.get('1')?.status === 'completed');
  teammate.stop('signal');
  await left;
  return on;
}

const PATH = process.env['PATH'] ?? '';
const tries = (file: string): string => `( : > ${file} ) 2>/dev/null && echo wrote ${file};`;

describe('a command in program isolation', () => {
  it('an isolated command changes the workspace and nothing outside, and still writes to its team', async () => {
    const remount = 'mount -o remount,bind,rw / 2>/dev/null; mount -o remount,rw / 2>/dev/null;';
    const tried = ['here', '/there', '/etc/there', '/usr/there', '/dev/there', `/proc/$PPID/root/there`].map(tries);
    const run = `${remount} ${tried.join(' ')} : > ${outside}; teams send team-lead hello; true`;
    const on = await work({ sandbox: 'workspace-write' }, run, { PATH, ...encodeIsolation('required') });
    expect(on.task('1')).toMatchObject({
      result: { summary: expect.stringMatching(/^wrote here\n\S+ {2}lead\n?$/) as string },
    });
    // The home directory inside is the member's own.
    expect(existsSync(outside)).toBe(false);
    expect(on.events('sandbox.held')).toMatchObject([{ member: 'ada' }]);
  });

  it('an isolated program has the tools of its member by MCP, through the socket', async () => {
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    };
    const host = `
      const server = require('node:child_process').spawn('teams', ['mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });
      const say = (message) => server.stdin.write(JSON.stringify(message) + '\\n');
      require('node:readline').createInterface({ input: server.stdout }).on('line', (line) => {
        const { id, result } = JSON.parse(line);
        if (id === 1) { say({ jsonrpc: '2.0', method: 'notifications/initialized' }); say({ jsonrpc: '2.0', id: 2, method: 'tools/list' }); }
        if (id === 2) { console.log(result.tools.map(({ name }) => name).includes('SendMessage')); server.stdin.end(); }
      });
      say(${JSON.stringify(hello)});`;
    const on = await work({ sandbox: 'workspace-write', env: { HOST: host } }, 'node -e "$HOST"', { PATH });
    expect(on.task('1')).toMatchObject({ result: { summary: 'true\n' } });
  });

  it('an isolated command of a read-only role changes nothing, without a set sandbox', async () => {
    const on = await work({ role: 'code-reviewer' }, `${tries('here')} echo looked`, { PATH });
    expect(on.task('1')).toMatchObject({ result: { summary: 'looked\n' } });
  });
});

describe('without bubblewrap', () => {
  const bare = { PATH: tempDir() };

  it('without bubblewrap a command runs, and the team is told that it is not isolated', async () => {
    const on = await work({ sandbox: 'read-only' }, 'echo on', bare);
    expect(on.events('sandbox.missing')).toMatchObject([{ text: expect.stringMatching(/not installed/) as string }]);
  });

  it('without bubblewrap nothing runs where isolation is required', async () => {
    const refused = work({}, 'true', { ...bare, ...encodeIsolation('required') });
    await expect(refused).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE', exitCode: 5 });
  });
});
