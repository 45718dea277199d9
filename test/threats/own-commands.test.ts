/**
 * Hooks that judge nothing, subscribers, and programs of ours run as the user while members work: none of them may run
 * what a member in a sandbox wrote with more rights than that member has.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { until, Workplace } from '../support/cli.ts';

let base: string;
let outside: string;
let place: Workplace;
let project: string;

beforeEach(() => {
  base = mkdtempSync(join(realpathSync(homedir()), '.own-commands-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  outside = join(base, 'outside');
  place = new Workplace();
  project = join(place.root, 'project');
  for (const name of ['notify.sh', 'package.json']) place.put(`project/${name}`, '');
});

interface Try {
  readonly hooks?: Record<string, string | string[]>;
  readonly subscribers?: Record<string, string | string[]>;
  /** What the member runs. */
  readonly run: string;
  readonly sandbox?: string;
  readonly environment?: Record<string, string>;
}

/** Runs a team of one member in a sandbox, with hooks of the user's own configuration. */
async function run({ hooks = {}, subscribers = {}, run: command, sandbox = 'workspace-write', environment = {} }: Try) {
  place.put('home/config/teams/config.yaml', JSON.stringify({ hooks, subscribers }));
  const plan = {
    name: 'own',
    members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox }],
    tasks: [{ subject: 'Work', owner: 'ada', run: command }],
  };
  place.put('project/plan.json', JSON.stringify(plan));
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { code, err } = await place.say(['run', 'plan.json'], { cwd: project, environment });
  const events = readFileSync(join(project, '.teams/own/events.jsonl'), 'utf8');
  return { code, err, events };
}

/** A script that a member writes: it says that it ran, and writes outside. */
const escape = (): string => `printf x >>${project}/ran 2>/dev/null; ( : >${outside} ) 2>/dev/null; exit 0`;
const rewrite = (file: string): string => `printf '%s\\n' '#!/bin/sh' '${escape()}' >${file}; chmod +x ${file}`;

const COMMANDS: readonly [string, string | string[], string][] = [
  ['a relative script', './notify.sh', 'notify.sh'],
  ['a script of a shell', 'sh notify.sh', 'notify.sh'],
  ['an argv', ['./notify.sh'], 'notify.sh'],
  ['an argv of an interpreter', ['sh', 'notify.sh', 'done'], 'notify.sh'],
  ['the root by its variable', 'cd "$TEAMS_ROOT" && ./notify.sh', 'notify.sh'],
  ['quotes', `'./notify.sh' "done"`, 'notify.sh'],
];

describe('a hook or subscriber that names a script which a member may rewrite', () => {
  it.each(COMMANDS)('%s: onFinished runs it with the rights of the member', async (_, command, file) => {
    const { code, err } = await run({ hooks: { onFinished: command }, run: rewrite(file) });
    expect(code, err).toBe(0);
    expect(existsSync(join(project, 'ran')), 'it ran').toBe(true);
    expect(existsSync(outside)).toBe(false);
  });

  it('an absolute path, and a link from elsewhere', async () => {
    const link = join(base, 'notify');
    symlinkSync(join(project, 'notify.sh'), link);
    for (const command of [join(project, 'notify.sh'), link, [link], `exec ${link}`]) {
      const { code, err } = await run({ hooks: { onFinished: command }, run: rewrite('notify.sh') });
      expect(code, err).toBe(0);
      expect(existsSync(join(project, 'ran')), 'it ran').toBe(true);
      expect(existsSync(outside)).toBe(false);
      for (const name of ['.teams', '.tasks', 'ran']) rmSync(join(project, name), { recursive: true });
    }
  });

  it('a link from elsewhere that leads through the workspace, wherever it ends at that moment', async () => {
    const elsewhere = join(base, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'notify.sh'), `#!/bin/sh\n${escape()}\n`, { mode: 0o755 });
    const link = join(base, 'notify');
    symlinkSync(join(project, 'current/notify.sh'), link);
    const { code, err } = await run({ hooks: { onFinished: link }, run: `ln -s ${elsewhere} current` });
    expect(code, err).toBe(0);
    expect(existsSync(join(project, 'ran')), 'it ran').toBe(true);
    expect(existsSync(outside)).toBe(false);
  });

  it('a subscriber, and onTeammateIdle', async () => {
    const { code, err } = await run({
      hooks: { onTeammateIdle: './notify.sh' },
      subscribers: { 'task.*': './notify.sh' },
      run: rewrite('notify.sh'),
    });
    expect(code, err).toBe(0);
    expect(existsSync(join(project, 'ran')), 'it ran').toBe(true);
    expect(existsSync(outside)).toBe(false);
  });
});

describe('a hook that names nothing of the workspace', () => {
  it('runs as the user, and not in the workspace, whose files programs read unasked', async () => {
    const script = join(base, 'told');
    writeFileSync(script, `#!/bin/sh\npwd >${outside}\nls "$TEAMS_ROOT" >>${outside}\n`, { mode: 0o755 });
    const { code, err } = await run({ hooks: { onFinished: script }, run: 'echo all: >Makefile' });
    expect(code, err).toBe(0);
    const [directory, ...names] = readFileSync(outside, 'utf8').trimEnd().split('\n');
    expect(directory).toBe(realpathSync(homedir()) === realpathSync(place.root) ? '/' : directory);
    expect(directory?.startsWith(project)).toBe(false);
    expect(names).toContain('Makefile');
  });

  it.each([
    ['make', 'make notify', 'Makefile', (text: string) => `notify:\\n\\t${text}`],
    ['python', 'python3 -c "import notify"', 'notify.py', (text: string) => `import os; os.system("${text}")`],
  ])('%s does not read what a member made', async (_, command, file, made) => {
    const text = `printf %b '${made(`touch ${outside}`)}\\n' >${file}`;
    await run({ hooks: { onFinished: command }, run: text });
    expect(existsSync(outside)).toBe(false);
  });

  it('finds no program that a member put where PATH leads into the project', async () => {
    mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
    const path = `${join(project, 'node_modules/.bin')}:${place.environment['PATH'] ?? ''}`;
    await run({
      hooks: { onFinished: 'notify-me done' },
      subscribers: { '*': ['notify-me'] },
      run: rewrite('node_modules/.bin/notify-me'),
      environment: { PATH: path },
    });
    expect(existsSync(outside)).toBe(false);
  });
});

describe('what cannot be isolated', () => {
  it('is said once, and its failure names the cure', async () => {
    const environment = { TEAMS_GATES_SANDBOX: 'off' };
    const subscribers = { '*': './notify.sh' };
    const { code, err, events } = await run({ subscribers, run: rewrite('notify.sh'), environment });
    expect(code, err).toBe(0);
    const said = 'subscriber of *: workspace-write is not enforced: gates.sandbox is off';
    expect(events.split(said).length - 1).toBe(1);
    rmSync(join(project, '.teams'), { recursive: true });
    rmSync(join(project, '.tasks'), { recursive: true });
    const failed = await run({ hooks: { onFinished: 'cat told.txt' }, run: ': >told.txt' });
    expect(failed.events).toMatch(/hook\.failed.*told\.txt.*it ran outside of the workspace/);
  });
});

describe('where no member is held by a sandbox', () => {
  it('hooks run as before: in the workspace, as the user', async () => {
    const { code, err } = await run({
      hooks: { onFinished: './notify.sh' },
      run: rewrite('notify.sh'),
      sandbox: 'full',
    });
    expect(code, err).toBe(0);
    await until(() => existsSync(outside), 'the hook ran');
  });
});
