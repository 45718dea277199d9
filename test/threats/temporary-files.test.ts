/**
 * TMPDIR may lie in the project, as some services for builds set it. A member in a sandbox may write there: what our
 * git and other programs of ours make for themselves is elsewhere.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
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
