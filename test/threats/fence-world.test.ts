/** What a program in its isolation finds of the machine, path by path, and what it may do there. */
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import process from 'node:process';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { hashedFiles } from '../../src/runtime/agents/project-files.ts';
import type { HeldProgram } from '../../src/runtime/isolation/open-program-isolation.ts';
import { repositoryAt } from '../../src/runtime/process/git-place.ts';
import { withTrees } from '../../src/runtime/process/working-tree.ts';
import { git } from '../../src/runtime/process/git.ts';
import { fencePlace, openFence, runInside, type FencePlace, ownHomeOf } from '../support/fence.ts';
import { tempDir } from '../support/temp.ts';

const SECRET = 'canary-of-the-fence';
let place: FencePlace;
let base: string;
let work: string;
let home: string;

beforeEach(() => {
  place = fencePlace();
  ({ base, work, home } = place);
  const files = {
    'home/work/src/a.ts': 'let a;\n',
    'home/work/.git/config': '[core]\n',
    'home/work/.teams/crew/config.json': '{"a":"secret"}',
    'home/work/.teams/crew/mail/1.1.task.json': '{}',
    'home/.local/state/teams/homes/team/ada/.keep': '',
    'home/.local/state/teams/homes/team/bob/note': SECRET,
    'home/work/.tasks/crew/log.jsonl': SECRET,
    'home/.ssh/id_ed25519': SECRET,
    'home/.netrc': SECRET,
    'home/.npmrc': SECRET,
    'home/.pgpass': SECRET,
    'home/.vault-token': SECRET,
    'home/.aws/credentials': SECRET,
    'home/.config/teams/config.yaml': SECRET,
    'home/.config/git/credentials': SECRET,
    'home/.bash_history': SECRET,
    'home/.local/state/teams/key': SECRET,
    'home/.local/bin/tool': '#!/bin/sh\necho tool\n',
    'home/.cargo/bin/cargo': '#!/bin/sh\necho cargo\n',
    'home/.cargo/credentials.toml': SECRET,
    'home/.nvm/versions/node/v1/bin/thing': '#!/bin/sh\necho thing\n',
    'home/.nvm/.git/secret': SECRET,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(base, path, '..'), { recursive: true });
    writeFileSync(join(base, path), content, { mode: content.startsWith('#!') ? 0o755 : 0o600 });
  }
  symlinkSync(join(home, '.nvm/versions/node/v1/bin/thing'), join(home, '.local/bin/linked'));
  const { environment } = place;
  const PATH = `${home}/.local/bin:${home}/.cargo/bin:${home}/.nvm/versions/node/v1/bin:${environment['PATH'] ?? ''}`;
  place = { ...place, environment: { ...environment, PATH } };
});

const fence = (how: Parameters<typeof openFence>[1] = {}): Promise<HeldProgram> => openFence(place, how);
const inside = (held: HeldProgram, script: string, env: Record<string, string> = {}): Promise<string> =>
  runInside(held, place, script, { env });
const words = (said: string): string[] => said.split(/\s+/).filter(Boolean);

describe('the world inside', () => {
  it('the root holds the system, temporary places and the way to the workspace, no more', async () => {
    const found = words(await inside(await fence(), 'ls -A /'));
    const [, way = ''] = base.split('/');
    const system = [
      'bin',
      'dev',
      'etc',
      'lib',
      'lib32',
      'lib64',
      'libx32',
      'proc',
      'run',
      'sbin',
      'tmp',
      'usr',
      'var',
      way,
    ];
    expect(found.filter((one) => !system.includes(one) && !/^(?:opt|work|home|root)$/.test(one))).toEqual([]);
    expect(found).not.toContain('sys');
    expect(words(await inside(await fence(), 'ls -A /tmp /var/tmp /dev/shm /run'))).toEqual(
      expect.arrayContaining(['/run:', 'teams']),
    );
  });

  it('no planted key, no team folder, no home of another member can be read', async () => {
    const secrets = words(
      await inside(await fence(), `grep -rls '${SECRET}' ${base} /etc /run /tmp /var /home /root 2>/dev/null; true`),
    );
    expect(secrets).toEqual([]);
    expect(
      await inside(await fence(), 'cat /etc/shadow /etc/gshadow /etc/sudoers 2>/dev/null; ls /etc/ssh 2>/dev/null'),
    ).toBe('');
    expect(words(await inside(await fence(), 'ls -A .teams .tasks; ls -A ~/.local/state/teams/homes/team'))).toEqual([
      '.tasks:',
      '.teams:',
      'ada',
    ]);
  });

  it('toolchains run, their credentials are not there', async () => {
    expect(words(await inside(await fence(), 'tool; linked; cargo; thing; ls -A ~/.cargo ~/.nvm'))).toEqual(
      expect.arrayContaining(['tool', 'thing', 'cargo', 'bin', 'versions']),
    );
    expect(await inside(await fence(), 'ls -A ~/.cargo ~/.nvm')).not.toMatch(/credentials|\.git/);
    expect(await inside(await fence(), 'node -p 6*7')).toBe('42\n');
  });

  it("the home is the member's own, and a handed file of the task is read-only", async () => {
    const file = join(work, '.teams/crew/mail/1.1.task.json');
    const said = await inside(
      await fence(),
      `echo mine > ~/note; cat "$TEAMS_TASK_FILE"; (: > "$TEAMS_TASK_FILE") 2>/dev/null && echo wrote`,
      {
        TEAMS_TASK_FILE: file,
      },
    );
    expect(said).toBe('{}');
    expect(existsSync(join(ownHomeOf(place), 'note'))).toBe(true);
    expect(existsSync(join(home, 'note'))).toBe(false);
  });

  it.each([
    [true, ['src/new']],
    [false, []],
  ])('what can be written, with a writable workspace %s', async (isWritable, written) => {
    const places = [
      'src/new',
      '.git/config',
      '.git/new',
      '.claude/new',
      '.vscode/new',
      '.mcp.json',
      'opencode.json',
      'opencode.jsonc',
      '.env',
      '.env.local',
      '.teams/new',
      '.tasks/new',
      '/new',
      '/usr/new',
      '/etc/new',
      '/dev/new',
      '/proc/sys/kernel/core_pattern',
      '/run/teams/bin/teams',
      '/run/teams/s/sock',
      `${home}/.local/bin/tool`,
      `${home}/.cargo/bin/cargo`,
    ];
    const script = places.map(
      (place) => `(mkdir -p "$(dirname ${place})"; : >> ${place}) 2>/dev/null && echo ${place};`,
    );
    expect(words(await inside(await fence({ isWritable }), `${script.join(' ')} true`))).toEqual(written);
    expect(
      words(
        await inside(
          await fence({ isWritable }),
          'for n in .git .teams; do mv $n moved 2>/dev/null && echo $n; rm -rf $n 2>/dev/null && echo $n; done',
        ),
      ),
    ).toEqual([]);
  });

  it('while its plan is pending, a program that may write only reads', async () => {
    const held = await fence();
    const run = (sandbox: 'read-only' | 'workspace-write'): Promise<string> => {
      const [file = '', ...args] = held.hold(
        ['/bin/sh', '-c', '(: > src/b.ts) 2>/dev/null && echo wrote'],
        {},
        { sandbox },
      );
      return text(spawn(file, args, { cwd: work, stdio: ['ignore', 'pipe', 'inherit'] }).stdout);
    };
    expect(await run('read-only')).toBe('');
    expect(await run('workspace-write')).toBe('wrote\n');
    expect(readdirSync(ownHomeOf(place))).toContain('.keep');
  });

  it('a role of a pipeline reads what the roles before it made, and changes none of it', async () => {
    mkdirSync(join(work, '.teams/crew/spec'));
    writeFileSync(join(work, '.teams/crew/spec/brief.md'), 'brief\n');
    const held = await fence({ handed: [join(work, '.teams/crew/spec'), join(work, '.teams/crew/wisdom')] });
    const script =
      'cat .teams/crew/spec/brief.md; (: > .teams/crew/spec/new) 2>/dev/null && echo wrote; ls .teams/crew';
    expect(words(await inside(held, script))).toEqual(['brief', 'spec']);
  });

  it('an inherited file of another process is closed', async () => {
    const command = ['/bin/sh', '-c', 'ls /proc/self/fd; cat /proc/self/fd/200/id_ed25519 2>/dev/null'];
    const opened = `exec 200<${home}/.ssh; exec "$@"`;
    const run = async (argv: readonly string[]): Promise<string> =>
      text(spawn('bash', ['-c', opened, 'sh', ...argv], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout);
    // Without isolation the secret is read, so that this test sees what it must.
    expect(await run(command)).toContain(SECRET);
    expect(await run((await fence()).hold(command))).toBe('0\n1\n2\n3\n');
  });

  it('processes and the size of a file are limited', async () => {
    const held = await openFence(place);
    const said = await runInside(
      held,
      place,
      'grep processes /proc/self/limits; : >big; truncate -s 65G big 2>/dev/null || echo held',
    );
    expect(said).toMatch(/^Max processes +4096 +4096 .*\nheld\n$/);
  });

  it('no other process, no capability, no uid of root', async () => {
    const said = await inside(
      await fence(),
      `kill -0 ${process.pid} 2>&1; id -u; grep CapEff /proc/self/status; ls -d /proc/[0-9]* | wc -l`,
    );
    expect(said).toMatch(/No such process|no such process/);
    expect(said).not.toMatch(/^0$/m);
    expect(said).toMatch(/CapEff:\s+0{16}/);
  });
});

describe('the door of a member', () => {
  it("another verb than a member's is refused in one sentence", async () => {
    const said = await inside(
      await fence(),
      'teams delete crew 2>&1; echo $?; teams send --root /x a b 2>&1; teams inbox crew bob 2>&1',
    );
    expect(said.split('\n')).toEqual([
      expect.stringMatching(/^POLICY_DENIED: `teams delete` is not for a member/) as string,
      '2',
      expect.stringMatching(/^POLICY_DENIED: `teams send` takes no --root/) as string,
      expect.stringMatching(/^POLICY_DENIED: .*not bob/) as string,
      '',
    ]);
  });

  it('the socket of another member is not there, and the own one cannot be replaced', async () => {
    const [ada, bob] = [await fence(), await fence({ member: 'bob' })];
    const at =
      bob
        .hold(['true'])
        .join(' ')
        .match(/--ro-bind (\S+\/s) \/run\/teams\/s/)?.[1] ?? '';
    expect(existsSync(join(at, 'sock'))).toBe(true);
    const script = `ls ${at} 2>&1; rm /run/teams/s/sock 2>/dev/null && echo removed; mv /run/teams/s /tmp/s 2>/dev/null && echo moved`;
    expect(await inside(ada, script)).toMatch(/^ls: .*\n$/);
  });
});

describe('the workspace afterwards', () => {
  it('a link in the place of a kept name is made again, and what a program put there is moved aside', async () => {
    rmSync(join(work, '.git'), { recursive: true });
    mkdirSync(join(base, 'elsewhere/.git'), { recursive: true });
    symlinkSync(join(base, 'elsewhere/.git'), join(work, '.git'));
    const held = await fence();
    await inside(held, 'rm .git; mkdir .git; echo planted > .git/config');
    expect(held.mend()).toEqual([
      expect.stringMatching(
        /\/\.git was replaced, and leads to \S+\/elsewhere\/\.git again; what was there is \S+\/\.git\.replaced-1\.$/,
      ),
    ]);
    expect(readlinkSync(join(work, '.git'))).toBe(join(base, 'elsewhere/.git'));
    expect(existsSync(join(work, '.git.replaced-1/config'))).toBe(true);
    expect(held.mend()).toEqual([]);
    await inside(held, 'rm .git');
    await held.close();
    expect(readlinkSync(join(work, '.git'))).toBe(join(base, 'elsewhere/.git'));
  });

  it('a name that is missing reads as one that says nothing, cannot be made, and leaves nothing', async () => {
    const before = readdirSync(work).toSorted();
    const held = await fence();
    const script = [
      'cat .env .env.local',
      'cat .mcp.json',
      `"$NODE" --env-file=.env -p 1`,
      'ls -A .vscode .claude',
      'cat opencode.json opencode.jsonc',
      ...['.env', '.env.local', '.mcp.json', 'opencode.json', 'opencode.jsonc'].flatMap((name) => [
        `( echo x > ${name} ) 2>/dev/null && echo wrote ${name}`,
        `rm -f ${name} 2>/dev/null && echo removed ${name}`,
        `mv ${name} moved 2>/dev/null && echo moved ${name}`,
        `ln -sf /etc/passwd ${name} 2>/dev/null && echo linked ${name}`,
      ]),
      'true',
    ];
    const said = await inside(held, script.join('; '), { NODE: process.execPath });
    expect(said).toBe('{"mcpServers": {}}\n1\n.claude:\n\n.vscode:\n{}\n{}\n');
    writeFileSync(join(work, '.env.local'), 'KEY=of the user');
    await held.close();
    expect(readdirSync(work).toSorted()).toEqual([...before, '.env.local'].toSorted());
  });

  it('a reader that may not write sees missing names as missing', async () => {
    expect(
      await inside(await fence({ isWritable: false }), 'ls -d .env .mcp.json opencode.json .vscode 2>/dev/null; true'),
    ).toBe('');
  });

  it('what covers missing names is in no tree of our git and no list of files', async () => {
    rmSync(join(work, '.git'), { recursive: true });
    execFileSync('git', ['init', '-q'], { cwd: work });
    vi.stubEnv('XDG_STATE_HOME', place.environment['XDG_STATE_HOME'] ?? '');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { signal } = new AbortController();
    const files = async (): Promise<string[]> => {
      const repository = await repositoryAt({ cwd: work, signal });
      if (typeof repository === 'string') throw new Error(repository);
      const listed = await withTrees(repository, { signal }, {}, ({ files: tree, where }) =>
        git(['ls-tree', '-r', '--name-only', tree], where),
      );
      return [...listed.text.split('\n'), ...Object.keys((await hashedFiles(work, signal)) ?? {})];
    };
    const before = await files();
    const held = await fence();
    await inside(held, 'true');
    expect(existsSync(join(work, '.env'))).toBe(true);
    expect(await files()).toEqual(before);
  });

  it('a new name that nothing covers is told once', async () => {
    const held = await fence();
    await inside(held, 'echo x > .env.production');
    expect(held.mend()).toEqual([expect.stringMatching(/\/\.env\.production is new; look at it before/)]);
    expect(held.mend()).toEqual([]);
  });

  it('the workspace is not opened to others, nor closed to its user', async () => {
    const mode = statSync(work).mode & 0o7777;
    const held = await fence();
    for (const [changed, text] of [
      ['777', '777'],
      ['0', '0'],
    ]) {
      await inside(held, `chmod ${changed} .`);
      expect(held.mend()).toEqual([`The mode of ${work} was changed to ${text}, and is ${mode.toString(8)} again.`]);
      expect(statSync(work).mode & 0o7777).toBe(mode);
    }
    const reading = await fence({ isWritable: false, member: 'bob' });
    await inside(reading, 'chmod 777 . 2>/dev/null');
    expect(statSync(work).mode & 0o7777).toBe(mode);
  });

  it('no empty directory is left, and one that the user had stays', async () => {
    mkdirSync(join(work, '.vscode'));
    const before = readdirSync(work).toSorted();
    const [one, two] = [await fence(), await fence({ member: 'bob' })];
    await inside(one, 'true');
    await one.close();
    expect(await inside(two, 'mkdir -p .claude/x 2>/dev/null && echo made')).toBe('');
    await two.close();
    expect(readdirSync(work).toSorted()).toEqual(before);
    expect(statSync(join(work, '.vscode')).isDirectory()).toBe(true);
  });

  it('the workspace may not be the home directory or above it', async () => {
    await expect(fence({ root: home })).rejects.toThrow(/contains your home directory/);
    await expect(fence({ root: base })).rejects.toThrow(/contains your home directory/);
  });

  it('a subdirectory of a repository sees it read-only', async () => {
    const held = await fence({ root: join(work, 'src') });
    const script = `cat ../.git/config; (: > ../x) 2>/dev/null && echo wrote; : > here && echo here`;
    expect(await runInside(held, place, script, { cwd: join(work, 'src') })).toBe('[core]\nhere\n');
  });
});

it('a path of a socket that the system would cut is refused', async () => {
  const { serveLocal } = await import('../../src/os/local-server.ts');
  await expect(serveLocal(join(tempDir(), 'x'.repeat(120)), () => Promise.resolve())).rejects.toThrow(/107 bytes/);
});
