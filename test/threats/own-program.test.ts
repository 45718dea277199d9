/**
 * This runtime may lie in the workspace: `npm install` puts it into `node_modules`, and the user's folders may be there,
 * too. A member that changes it would run as the user at the next start of a process of ours.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { configSchema } from '../../src/model/config/config.ts';
import { HOME_IS_OPEN, ownProgramsIn, programOfOwnSandbox } from '../../src/runtime/isolation/own-programs.ts';
import { isolateSubagent } from '../../src/runtime/tools/subagent-isolation.ts';
import { Workspace } from '../../src/runtime/tools/tool-workspace.ts';
import { tempDir } from '../support/temp.ts';

let base: string;
let project: string;
let environment: Record<string, string>;

beforeEach(() => {
  base = mkdtempSync(join(realpathSync(homedir()), '.own-program-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  project = join(base, 'project');
  const own = join(project, 'node_modules/teams-runtime');
  for (const name of ['bin', 'dist', 'package.json', 'schemas'])
    cpSync(name, join(own, name), { recursive: true, filter: (path) => !/\/(?:types|cache)$/.test(path) });
  for (const name of ['piscina', '@napi-rs', 'pg', 'pg-protocol', 'pg-types', 'postgres-date', 'pgpass', 'split2'])
    cpSync(join('node_modules', name), join(project, 'node_modules', name), { recursive: true });
  mkdirSync(join(base, 'home'));
  environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(base, 'home'),
    XDG_STATE_HOME: join(project, '.xdg/state'),
    XDG_CONFIG_HOME: join(project, '.xdg/config'),
    XDG_CACHE_HOME: join(project, '.xdg/cache'),
  };
});

/** Each prints what it could do. */
const ATTACK = `
t() { ( eval "$2" ) 2>/dev/null && echo "$1" >>did; }
t program 'echo >>node_modules/teams-runtime/dist/teammate.cjs'
t new 'echo >node_modules/teams-runtime/dist/new.js'
t thread 'echo >>node_modules/piscina/package.json'
t store 'echo >>node_modules/pg/lib/index.js'
t 'of the store' 'echo >>node_modules/pg-protocol/dist/index.js'
t 'deep of the store' 'echo >>node_modules/split2/index.js || echo >>node_modules/postgres-date/index.js'
t 'moved store' 'mv node_modules/pgpass node_modules/x'
t moved 'mv node_modules node_modules.was'
t 'moved package' 'mv node_modules/teams-runtime node_modules/x'
t 'nearer' 'mkdir node_modules/teams-runtime/node_modules'
t configuration 'mkdir -p .xdg/config/teams && echo >.xdg/config/teams/config.yaml'
t cache 'mkdir -p .xdg/cache/teams/code && echo >.xdg/cache/teams/code/x.bin'
t key 'cat .xdg/state/teams/key | grep .'
t 'new key' 'echo >.xdg/state/teams/key'
t 'moved folders' 'mv .xdg .was'
t 'moved state' 'mv .xdg/state .xdg/was'
t works ': >made && : >node_modules/made && : >.xdg/made && rm made node_modules/made .xdg/made'
true
`;

describe('this runtime in the workspace', () => {
  it.each([
    ['a member', { run: 'sh attack.sh' }, {}],
    ['a command that judges', { run: 'true' }, { test: 'sh attack.sh' }],
  ])('cannot be changed by %s', (_, task, gates) => {
    writeFileSync(join(project, 'attack.sh'), ATTACK);
    const members = [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'workspace-write' }];
    const tasks = [{ subject: 'Work', owner: 'ada', ...task }];
    writeFileSync(join(project, 'plan.json'), JSON.stringify({ name: 'own', members, tasks, gates }));
    const argv = ['node_modules/teams-runtime/bin/teams.js', 'run', 'plan.json'];
    const { status, stderr } = spawnSync(process.execPath, argv, { cwd: project, env: environment, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    expect(readFileSync(join(project, 'did'), 'utf8')).toBe('works\n');
    expect(existsSync(join(project, 'node_modules.was'))).toBe(false);
  });

  it.each(['', 'and elsewhere'])('a program with its own sandbox is not taken from the workspace: %s', (elsewhere) => {
    const [inside, outside] = [join(project, 'node_modules/.bin'), join(base, 'bin')];
    for (const bin of [inside, ...(elsewhere === '' ? [] : [outside])]) {
      mkdirSync(bin, { recursive: true });
      writeFileSync(join(bin, 'codex'), '', { mode: 0o755 });
    }
    const surroundings = { HOME: join(base, 'home'), PATH: `${inside}:${outside}` };
    const found = programOfOwnSandbox({ kind: 'codex' }, project, surroundings);
    expect(found.spec.command).toEqual(elsewhere === '' ? undefined : [join(outside, 'codex')]);
    const why = 'its program lies in the workspace, which it may write';
    expect(found.weakness).toBe(elsewhere === '' ? why : undefined);
    const named = { kind: 'codex', command: ['./codex', '--x'] } as const;
    writeFileSync(join(project, 'codex'), '');
    expect(programOfOwnSandbox({ ...named, command: [...named.command] }, project, surroundings).weakness).toBe(why);
    const known = programOfOwnSandbox({ kind: 'codex', command: ['/bin/true'] }, project, { ...environment });
    expect(known.weakness).toMatch(/^it may change .*\.xdg\/cache\/teams, which is yours or of teams$/);
  });

  it("is not written by a model's file tools", async () => {
    const root = realpathSync(tempDir());
    const kept = ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'].map(
      (name) => [name, join(root, name)] as const,
    );
    const known = { ...environment, ...Object.fromEntries(kept) };
    expect(ownProgramsIn(root, known)).toHaveLength(3);
    expect(configSchema.parse({}).sandbox.bwrap).toBe('auto');
    const probe = { isolation: 'missing', around: (_: string, __: boolean, argv: readonly string[]) => argv } as const;
    await using workspace = new Workspace(
      {
        root,
        isolation: 'off',
        permissions: () => ({ sandbox: 'workspace-write', planPending: false }),
        environment: known,
        onWarning: () => undefined,
      },
      probe,
    );
    const call = { signal: new AbortController().signal };
    for (const [name] of kept) {
      const path = `${name}/teams/config.yaml`;
      const answer = await workspace.call('write_file', { path, content: 'x' }, call);
      expect(answer).toMatchObject({ ok: false });
    }
    expect(await workspace.call('write_file', { path: 'a.txt', content: 'x' }, call)).toMatchObject({ ok: true });
  });

  it('a workspace that is the home directory is said to be open, of a model and of a program with its own sandbox', async () => {
    const home = join(base, 'home');
    const surroundings = { ...environment, XDG_STATE_HOME: join(base, 'state') };
    const codex = programOfOwnSandbox({ kind: 'codex', command: ['/bin/true'] }, home, surroundings);
    const said: string[] = [];
    const task = { about: 'a subagent', spec: { kind: 'anthropic' as const }, prompt: '', env: {}, timeoutMs: 0 };
    for (const cwd of [home, project])
      await isolateSubagent(
        { ...task, cwd, sandbox: 'workspace-write' },
        {
          setting: 'auto',
          environment: surroundings,
          team: () => [],
          onNotEnforced: ({ why }) => void said.push(why),
        },
      );
    expect([codex.weakness, ...said]).toEqual([HOME_IS_OPEN, HOME_IS_OPEN]);
  });
});
