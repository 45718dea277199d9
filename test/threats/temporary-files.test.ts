/**
 * TMPDIR may lie in the project, as some services for builds set it. A member in a sandbox may write there: what our
 * git and other programs of ours make for themselves is elsewhere.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, watch, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Workplace } from '../support/cli.ts';

it.each(['trees', 'off'])(
  'nothing of ours is in a TMPDIR that members may write (isolation: %s)',
  async (isolation) => {
    const place = new Workplace();
    const project = join(place.root, 'project');
    place.put('project/a.txt', 'a\n');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=m', '-c', 'user.email=m@x', ...args], { cwd: project });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    const temporary = join(project, 'tmp');
    mkdirSync(temporary);
    vi.stubEnv('TMPDIR', temporary);
    const plan = {
      name: 'crew',
      isolation,
      members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'workspace-write' }],
      tasks: [{ subject: 'Work', run: 'echo b >a.txt; mktemp >/dev/null' }],
      gates: { test: 'true' },
    };
    place.put('project/plan.json', JSON.stringify(plan));
    const made = new Set<string>();
    const watcher = watch(temporary, (_, name) => void made.add(name ?? ''));
    const environment = { ...place.environment, TMPDIR: temporary };
    for (const argv of [
      ['run', 'plan.json'],
      ['diff', 'crew'],
      isolation === 'trees' ? ['apply', 'crew'] : ['undo', 'crew', '--yes'],
    ]) {
      const { code, err } = await place.say(argv, { cwd: project, environment });
      expect(code, err).toBe(0);
    }
    await new Promise((resume) => setImmediate(resume));
    watcher.close();
    expect([...made].filter((name) => name.startsWith('teams'))).toEqual([]);
  },
);

it.each([
  ['in the home', 'home/tmp'],
  ['around the workspace', 'scratch'],
])('a TMPDIR %s appears empty to a gate, which runs isolated', async (_, name) => {
  const base = mkdtempSync(join(realpathSync(homedir()), '.temporary-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [temporary, project] = [join(base, name), join(base, name === 'scratch' ? 'scratch/project' : 'project')];
  for (const folder of [temporary, project, join(base, 'home')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(temporary, 'secret'), 'of another program');
  vi.stubEnv('TMPDIR', temporary);
  const place = new Workplace();
  const plan = {
    name: 'crew',
    members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'workspace-write' }],
    tasks: [{ subject: 'Work', run: 'true' }],
    gates: { test: `! cat ${temporary}/secret && ! touch ${base}/outside && : >"$TMPDIR/own"` },
  };
  writeFileSync(join(project, 'plan.json'), JSON.stringify(plan));
  vi.stubEnv('HOME', join(base, 'home'));
  const environment = { ...place.environment, HOME: join(base, 'home'), TMPDIR: temporary };
  const { code, err } = await place.say(['run', 'plan.json'], { cwd: project, environment });
  expect(code, err).toBe(0);
});
