/** The four workspace tools: their answers, that every refusal is an answer, and what a command leaves behind. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { WorkspaceTool } from '../../../src/model/team/workspace-tool.ts';
import type { Permissions } from '../../../src/policy/sandbox/effective-sandbox.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../../../src/runtime/tools/tool-workspace.ts';
import { until } from '../../support/cli.ts';
import { running } from '../../support/processes.ts';
import { tempDir } from '../../support/temp.ts';

let root: string;
let permissions: Permissions;
let warnings: string[];
beforeEach(() => {
  root = join(tempDir(), 'work');
  mkdirSync(root);
  permissions = { sandbox: 'workspace-write', planPending: false };
  warnings = [];
});

async function open(over: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
  const { PATH } = process.env;
  const workspace = await openWorkspace({
    root,
    isolation: 'off',
    permissions: () => permissions,
    environment: { PATH, FAKE_API_KEY: 'canary', TEAMS_TOKEN: 'canary' },
    onWarning: (text) => warnings.push(text),
    ...over,
  });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const never = new AbortController().signal;
const use = (workspace: Workspace, tool: WorkspaceTool, input: unknown, signal = never) =>
  workspace.call(tool, input, { signal });
async function said(workspace: Workspace, tool: WorkspaceTool, input: unknown): Promise<string> {
  const answer = await use(workspace, tool, input);
  if (!answer.ok) throw new Error(answer.why);
  return answer.text;
}
async function refused(workspace: Workspace, tool: WorkspaceTool, input: unknown): Promise<string> {
  const answer = await use(workspace, tool, input);
  if (answer.ok) throw new Error(`not refused: ${answer.text}`);
  return answer.why;
}
const put = (file: string, text: string): void => writeFileSync(join(root, file), text);
const onDisk = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('files', () => {
  test('files are read by numbered lines, a page at a time', async () => {
    const workspace = await open();
    put('a.txt', Array.from({ length: 10 }, (_, at) => `line ${at + 1}`).join('\n'));
    expect(await said(workspace, 'read_file', { path: 'a.txt', limit: 2 })).toBe(
      '     1\tline 1\n     2\tline 2\n[Lines 1 to 2 of 10. Go on with offset 3.]',
    );
    expect(await said(workspace, 'read_file', { file_path: 'a.txt', offset: 10 })).toBe('    10\tline 10');
    expect(await refused(workspace, 'read_file', { path: 'a.txt', offset: 11 })).toMatch(/^USAGE: .*does not exist/);
    expect(await refused(workspace, 'read_file', { path: 'b.txt' })).toBe('USAGE: There is no "b.txt".');
    expect(await refused(workspace, 'read_file', {})).toBe('USAGE: "path" is missing.');
  });

  test('what a role is handed is read where it lies, and nothing beside it, and not written', async () => {
    const team = join(root, '..', 'team');
    mkdirSync(join(team, 'spec'), { recursive: true });
    for (const file of ['spec/plan.md', 'role.md', 'config.json']) writeFileSync(join(team, file), `of ${file}`);
    symlinkSync('../config.json', join(team, 'spec/link.md'));
    const workspace = await open({ handed: [join(team, 'spec'), join(team, 'role.md'), join(team, 'gone')] });
    const read = (path: string) => ({ path: join(team, path) });
    expect(await said(workspace, 'read_file', read('spec/plan.md'))).toContain('of spec/plan.md');
    expect(await said(workspace, 'read_file', read('spec'))).toContain('plan.md');
    expect(await said(workspace, 'read_file', read('role.md'))).toContain('of role.md');
    for (const path of ['config.json', 'spec/../config.json', 'spec/link.md', 'role.md.bak'])
      expect(await refused(workspace, 'read_file', read(path))).toMatch(/^POLICY_DENIED: .*outside the workspace/);
    const write = { ...read('spec/plan.md'), content: 'x' };
    expect(await refused(workspace, 'write_file', write)).toMatch(/^POLICY_DENIED: .*outside the workspace/);
  });

  test("file content comes in answers of 256 KiB at most, or of the caller's limit", async () => {
    const workspace = await open();
    put('long', `${'x'.repeat(999)}\n`.repeat(1_000));
    const whole = await said(workspace, 'read_file', { path: 'long' });
    expect(whole.length).toBeLessThan(257 * 1024);
    expect(whole).toMatch(/\[Lines 1 to 2\d\d of 1000\. Go on with offset 2\d\d\.\]$/);
    const short = await workspace.call('read_file', { path: 'long' }, { signal: never, mostBytes: 10_000 });
    expect(short.ok && short.text.length).toBeLessThan(10_000);
  });

  test('a directory is listed without protected files', async () => {
    const workspace = await open();
    for (const name of ['src', '.teams', '.git']) mkdirSync(join(root, name));
    put('.env', 'KEY=1');
    put('z.txt', '');
    expect(await said(workspace, 'read_file', { path: '.' })).toBe('.git/\nsrc/\nz.txt');
    expect(await said(workspace, 'read_file', { path: 'src' })).toBe('The directory "src" is empty.');
  });

  test('files are written whole, and edited where a text occurs exactly once', async () => {
    const workspace = await open();
    expect(await said(workspace, 'write_file', { path: 'new/a.ts', content: 'one\ntwo\none\n' })).toBe(
      'Created new/a.ts (12 bytes).',
    );
    const edit = (old_text: string, new_text: string, more = {}) => ({ path: 'new/a.ts', old_text, new_text, ...more });
    expect(await said(workspace, 'edit_file', edit('two', '$& and $1'))).toBe('Edited new/a.ts.');
    expect(onDisk('new/a.ts')).toBe('one\n$& and $1\none\n');
    expect(await refused(workspace, 'edit_file', edit('one', '1'))).toMatch(
      /^USAGE: old_text occurs 2 times in "new\/a\.ts" \(lines 1, 3\)/,
    );
    expect(await refused(workspace, 'edit_file', edit('three', '3'))).toMatch(/^USAGE: old_text is not in/);
    expect(await refused(workspace, 'edit_file', edit('one', 'one'))).toMatch(/^USAGE: .*are the same/);
    expect(await said(workspace, 'edit_file', edit('one', '1', { replace_all: true }))).toBe(
      'Edited new/a.ts in 2 places.',
    );
    expect(onDisk('new/a.ts')).toBe('1\n$& and $1\n1\n');
    expect(await said(workspace, 'write_file', { path: 'new/a.ts', content: '' })).toMatch(/^Replaced/);
  });

  test('files keep their line ends when a text of several lines is changed', async () => {
    const workspace = await open();
    put('dos.txt', 'a\r\nb\r\nc\r\n');
    await said(workspace, 'edit_file', { path: 'dos.txt', old_string: 'a\nb', new_string: 'a\nx\nb' });
    expect(onDisk('dos.txt')).toBe('a\r\nx\r\nb\r\nc\r\n');
  });

  test.each([
    ['read_file', '.env', 'environment files'],
    ['write_file', '.git/hooks/pre-commit', 'git hooks'],
    ['write_file', '.git/config', "git's own files"],
    ['edit_file', '.teams/login/config.json', "the team's own files"],
    ['write_file', 'a/.claude/settings.json', 'configuration of agents'],
  ] as const)('%s of %s is refused by its rule', async (tool, path, rule) => {
    const workspace = await open();
    const input = { path, content: 'x', old_text: 'a', new_text: 'b' };
    const known =
      tool === 'read_file' ? ['path'] : tool === 'write_file' ? ['path', 'content'] : ['path', 'old_text', 'new_text'];
    const given = Object.fromEntries(Object.entries(input).filter(([key]) => known.includes(key)));
    expect(await refused(workspace, tool, given)).toContain(`(rule: protected paths, ${rule})`);
  });
});

describe('a sandbox', () => {
  test('a read-only sandbox, or an unapproved plan, gives only the tools that read', async () => {
    const workspace = await open();
    for (const now of [
      { sandbox: 'read-only', planPending: false },
      { sandbox: 'full', planPending: true },
    ] as const) {
      permissions = now;
      expect(workspace.tools()).toEqual(['read_file']);
      expect(await refused(workspace, 'write_file', { path: 'a', content: '' })).toMatch(/^POLICY_DENIED: .*\(rule: /);
      expect(await refused(workspace, 'bash', { command: 'true' })).toMatch(/^POLICY_DENIED: .*\(rule: /);
    }
    permissions = { sandbox: 'workspace-write', planPending: false };
    expect(workspace.tools()).toEqual(['bash', 'read_file', 'write_file', 'edit_file']);
  });

  test('a required sandbox fails closed if there is none; otherwise its absence is reported once', async () => {
    const environment = { PATH: tempDir() };
    await expect(open({ isolation: 'required', environment })).rejects.toMatchObject({
      exitCode: 5,
      code: 'AGENT_UNAVAILABLE',
      message: like(/bubblewrap is not installed.*apt-get install bubblewrap/),
    });
    const workspace = await open({ isolation: 'auto', environment });
    expect(warnings).toEqual([like(/not isolated: bubblewrap is not installed/)]);
    await said(workspace, 'bash', { command: '/bin/true' });
    expect(warnings).toHaveLength(1);
  });
});

describe('a command', () => {
  test('a command answers with its output, and its exit code first if it failed', async () => {
    const workspace = await open();
    expect(await said(workspace, 'bash', { command: 'pwd; echo oops >&2' })).toBe(`${root}\noops\n`);
    expect(await said(workspace, 'bash', { command: 'true' })).toBe('It printed nothing.');
    expect(await refused(workspace, 'bash', { command: 'echo half; exit 3' })).toBe('EXIT: exit 3.\nhalf\n');
    expect(await refused(workspace, 'bash', { command: 'kill -9 $$' })).toMatch(/^EXIT: ended by a signal\./);
    expect(await said(workspace, 'bash', { command: 'cd /; X=1' })).toBe('It printed nothing.');
    expect(await said(workspace, 'bash', { command: 'echo $X$(pwd)' })).toBe(`${root}\n`);
  });

  test('a long output of a command is answered with its beginning and its end', async () => {
    const workspace = await open();
    const text = await said(workspace, 'bash', { command: 'seq 1 100000' });
    expect(text).toMatch(/^1\n2\n3\n[^]*\n\[\d+ of 588895 bytes are left out here\]\n[^]*\n99999\n100000\n$/);
    expect(text.length).toBeLessThan(33 * 1024);
  });

  test('a command gets no key and no token, but the variables that the user named', async () => {
    const workspace = await open({ named: { env: { NAMED: 'yes' }, envPass: ['PASSED'] } });
    const text = await said(workspace, 'bash', { command: 'env' });
    expect(text).toContain('NAMED=yes');
    expect(text).not.toContain('canary');
  });

  test('a command that takes too long, prints without end or is aborted is stopped with all that it started', async () => {
    const workspace = await open();
    const slow = await refused(workspace, 'bash', {
      command: 'echo begun; setsid sleep 300 & sleep 300',
      timeout: 0.5,
    });
    expect(slow).toBe(
      'TIMEOUT: stopped after 0.5 s, with all that it had started; a longer timeout can be given.\nbegun\n',
    );
    expect(await refused(workspace, 'bash', { command: 'yes' })).toMatch(
      /^QUOTA: stopped because it printed without end\./,
    );
    const off = new AbortController();
    const called = use(workspace, 'bash', { command: 'touch begun; sleep 300' }, off.signal);
    await until(() => running().some(({ cwd, command }) => cwd === root && command.includes('sleep 300')), 'it runs');
    off.abort();
    expect(await called).toEqual({ ok: false, why: like(/^STOPPED: /) });
  });

  test('a command leaves no process, in any session', async () => {
    const workspace = await open();
    const command = 'sleep 301 & setsid sleep 302 & (setsid env -i /bin/sh -c "sleep 303 & sleep 304" &) ; echo done';
    expect(await said(workspace, 'bash', { command })).toBe('done\n');
    expect(running().filter((one) => /sleep 30[1-4]/.test(one.command))).toEqual([]);
  });

  test('a command does not end what another one started at the same time', async () => {
    const workspace = await open();
    const commands = Array.from({ length: 6 }, (_, at) => `sleep 0.${at}; setsid sh -c "sleep 0.3; echo ${at}"`);
    const texts = await Promise.all(commands.map((command) => said(workspace, 'bash', { command })));
    expect(texts).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n', '5\n']);
  });

  test('a command that forks without end is stopped', async () => {
    const workspace = await open();
    // It ends by itself if the product does not stop it.
    const bomb = 'i=0; while [ $i -lt 2000 ]; do sleep 60 & i=$((i+1)); done; wait';
    expect(await refused(workspace, 'bash', { command: bomb })).toMatch(
      /^(QUOTA: stopped because it had more than 512|EXIT)/,
    );
    expect(running().filter((one) => one.cwd === root)).toEqual([]);
  });
});
