/** Repositories in the folders of a workspace: what their `.git` says is run by the user's git, so no member writes it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, it } from 'vitest';
import { openShellIsolation } from '../../src/runtime/isolation/open-shell-isolation.ts';
import { fencePlace, openFence, runInside, type FencePlace } from '../support/fence.ts';

let place: FencePlace;
/** A submodule that was fetched, one that was not, and a clone that the index does not name. */
beforeEach(() => {
  place = fencePlace();
  const git = (cwd: string, ...args: string[]): string => {
    const settings = ['-c', 'user.name=x', '-c', 'user.email=x@y', '-c', 'protocol.file.allow=always'];
    return execFileSync('git', [...settings, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  };
  const library = join(place.base, 'library');
  mkdirSync(library);
  git(library, 'init', '-q');
  git(library, 'commit', '-q', '--allow-empty', '-m', 'x');
  git(place.work, 'init', '-q');
  for (const at of ['vendor/lib', 'vendor/later']) git(place.work, 'submodule', 'add', '-q', library, at);
  git(place.work, 'submodule', 'deinit', '-q', '-f', 'vendor/later');
  git(place.work, 'clone', '-q', library, 'clones/own');
  writeFileSync(join(place.work, 'vendor/notes'), '');
});

const GITS = ['vendor/lib/.git', 'vendor/later/.git', 'clones/own/.git'];

/** Ways to put a repository there whose configuration names a program. */
const plant = (at: string): string => `
g="$PWD/${at}"; p="$(dirname "$g")"
( echo '[core]fsmonitor = touch PWNED' >> "$g/config" ) 2>/dev/null && echo '${at}: config'
( echo x > "$g/hooks/pre-commit" ) 2>/dev/null && echo '${at}: hook'
( rm -rf "$g" && mkdir "$g" && : > "$g/HEAD" ) 2>/dev/null && echo '${at}: new'
( mv "$p" "$p.was" && mkdir "$p" ) 2>/dev/null && echo '${at}: moved'
( d="$(dirname "$p")"; mv "$d" "$d.was" ) 2>/dev/null && echo '${at}: moved folder'
( ln -sfn /tmp "$g" && [ -L "$g" ] ) 2>/dev/null && echo '${at}: link'
`;
const ATTEMPT = `${GITS.map(plant).join('\n')}\n: > vendor/lib/source && : > clones/own/source && echo works`;

describe('a repository in a folder of the workspace', () => {
  it('cannot be given commands by an isolated member, which works beside it', async () => {
    const held = await openFence(place);
    expect(await runInside(held, place, ATTEMPT)).toBe('works\n');
    await held.close();
    expect(existsSync(join(place.work, 'vendor/lib/source'))).toBe(true);
    // The cover of the missing one is gone.
    expect(readdirSync(join(place.work, 'vendor/later'))).toEqual([]);
  });

  it('cannot be given commands behind the wall, if it is there', async () => {
    const { around } = await openShellIsolation({ setting: 'auto', root: place.work, environment: place.environment });
    const [file = '', ...args] = around(place.work, true, ['/bin/sh', '-c', ATTEMPT]);
    const said = execFileSync(file, args, { cwd: place.work, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
    expect(said.split('\n').filter((line) => !line.startsWith('vendor/later'))).toEqual(['works', '']);
  });

  it('is read inside as it is', async () => {
    const held = await openFence(place);
    expect(await runInside(held, place, 'cat clones/own/.git/HEAD vendor/lib/.git')).toMatch(/^ref: .*\ngitdir: .*\n$/);
  });
});
