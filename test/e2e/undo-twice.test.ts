/** Two commands that change the project's files at the same moment: the second changes nothing and names the first. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { EXEC, scene } from '../support/tree-scene.ts';

it(
  'an undo beside an undo, and a run beside one, are told who changes files, and change nothing',
  { timeout: 120_000 },
  async () => {
    const { place, at, teams } = scene({});
    const tasks = [{ subject: 'Do', run: 'echo 1 >>a.txt' }];
    writeFileSync(join(at, 'q.json'), JSON.stringify({ name: 'q', members: EXEC.slice(0, 1), tasks }));
    expect((await teams('run', 'q.json', '--quiet')).code).toBe(0);
    const after = readFileSync(join(at, 'a.txt'), 'utf8');
    // A git that waits, when the first undo reads what it puts in place.
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const [reached, go] = [join(place.root, 'reached'), join(place.root, 'go')];
    // No git of the project is used, and all below the workplace is one.
    const waiting = tempDir();
    const script = `#!/bin/sh\ncase " $* " in *" cat-file blob "*) : >'${reached}'; while [ ! -e '${go}' ]; do sleep 0.02; done;; esac\nexec '${real}' "$@"\n`;
    writeFileSync(join(waiting, 'git'), script, { mode: 0o755 });
    const path = place.environment['PATH'] ?? '';
    place.environment['PATH'] = `${waiting}:${path}`;
    const first = place.start('undo', 'q', '--yes', '--root', at);
    place.environment['PATH'] = path;
    await until(() => existsSync(reached), 'the first undo has begun', 60_000);
    const second = await place.start('undo', 'q', '--yes', '--root', at, '--json').ended;
    const run = await teams('run', 'q.json', '--name', 'r', '--quiet');
    const seen = readFileSync(join(at, 'a.txt'), 'utf8');
    writeFileSync(go, '');
    const ended = await first.ended;
    expect([second.code, second.out + second.err]).toEqual([3, expect.stringContaining('"LOCK_TIMEOUT"')]);
    expect(second.out + second.err).toContain(`Process ${first.child.pid} changes files of this project`);
    expect([run.code, run.err]).toEqual([3, expect.stringContaining(`Process ${first.child.pid} changes files`)]);
    expect(seen).toBe(after);
    expect([ended.code, ended.err]).toEqual([0, expect.any(String)]);
    expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  },
);
