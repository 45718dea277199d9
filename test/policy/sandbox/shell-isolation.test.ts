import { describe, expect, test } from 'vitest';
import { isolatedShellArgv, type ShellSurroundings } from '../../../src/policy/sandbox/shell-isolation.ts';

const around = (over: Partial<ShellSurroundings>): ShellSurroundings => ({
  root: '/work',
  isWritable: true,
  inRoot: new Map(),
  keys: [],
  lend: { read: [], write: [] },
  filter: undefined,
  closing: [],
  ...over,
});
const line = (over: Partial<ShellSurroundings>): string =>
  isolatedShellArgv('/bin/bwrap', around(over), ['/bin/sh', '-c', 'true']).join(' ');
const directory = (path: string) => ({ path, isDirectory: true, id: '1:2' });
const file = (path: string) => ({ path, isDirectory: false, id: '1:2' });

describe('shell isolation of a command', () => {
  test('shell isolation blocks network, processes and capabilities, and ends with the process that started it', () => {
    expect(line({})).toMatch(
      /^\/bin\/bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-net --die-with-parent --new-session --cap-drop ALL --ro-bind \/ \//,
    );
    expect(line({})).toMatch(/--chdir \/work -- \/bin\/sh -c true$/);
  });

  test('inherited files are closed before the filter is opened', () => {
    expect(line({ closing: ['/bin/bash', '-c', 'close'], filter: '/filter' })).toMatch(
      /^\/bin\/bash -c close \/bin\/sh -c /,
    );
  });

  test('shell isolation makes the workspace writable, or not', () => {
    expect(line({})).toContain(' --bind /work /work ');
    expect(line({ isWritable: false })).toContain(' --ro-bind /work /work ');
  });

  test('shell isolation opens the workspace after the mounts that would cover it, then covers paths in it', () => {
    const text = line({ root: '/tmp/w', inRoot: new Map([['.teams', directory('/tmp/w/.teams')]]) });
    const order = ['--tmpfs /tmp ', '--bind /tmp/w /tmp/w', '--tmpfs /tmp/w/.teams --remount-ro /tmp/w/.teams'];
    const places = order.map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  test('what a role is handed lies read-only in the hidden folder, in a tree at the path of the project', () => {
    const tree = '/work/.teams/t/trees/ada';
    const shown = { at: '/work', behind: [], lend: [] };
    const text = line({
      root: tree,
      shown,
      inRoot: new Map([['.teams', directory(`${tree}/.teams`)]]),
      handed: ['/work/.teams/t/spec', '/elsewhere/spec'],
    });
    expect(text).toContain(
      '--tmpfs /work/.teams --ro-bind /work/.teams/t/spec /work/.teams/t/spec --remount-ro /work/.teams',
    );
    expect(text).not.toContain('/elsewhere');
  });

  test('shell isolation hides keys, write-protects what makes git run programs, and changes nothing else', () => {
    const text = line({
      inRoot: new Map([
        ['.env', file('/work/.env')],
        ['.mcp.json', file('/work/.mcp.json')],
        ['src', directory('/work/src')],
      ]),
      keys: [directory('/home/u/.ssh'), file('/home/u/.netrc')],
    });
    expect(text).toContain('--ro-bind /dev/null /work/.env');
    expect(text).toContain('--ro-bind /work/.mcp.json /work/.mcp.json');
    expect(text).toMatch(/--tmpfs \/home\/u\/.ssh .*--remount-ro \/home\/u\/.ssh /);
    expect(text).toContain('--ro-bind /dev/null /home/u/.netrc');
    expect(text).not.toContain('/work/src');
  });

  test.each([
    [directory('/work/.git'), true],
    [directory('/work/.git'), false],
    [file('/work/.git'), true],
  ])('shell isolation pins %j read-only, in a writable workspace (%s), too', (git, isWritable) => {
    expect(line({ isWritable, inRoot: new Map([['.git', git]]) })).toContain(' --ro-bind /work/.git /work/.git ');
  });

  test('shell isolation covers the target of a link, but no target that is hidden already or contains the workspace', () => {
    const text = line({
      root: '/home/u/.claude/work',
      inRoot: new Map([['.env', file('/home/u/shared/.env')]]),
      keys: [directory('/home/u/.claude'), directory('/tmp/home/.ssh')],
    });
    expect(text).toContain('--ro-bind /dev/null /home/u/shared/.env');
    expect(text).not.toContain('--tmpfs /home/u/.claude');
    expect(text).not.toContain('/tmp/home/.ssh');
  });
});
