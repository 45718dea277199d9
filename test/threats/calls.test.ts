/**
 * What no mount forbids, and the filter of system calls does, in the isolation of programs and of shell commands: files
 * in the workspace that give others the user's rights, the keyring of the user's session, and the control groups of
 * processes outside.
 */
import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, it } from 'vitest';
import { callFilter } from '../../src/policy/sandbox/call-filter.ts';
import { openShellIsolation } from '../../src/runtime/isolation/open-shell-isolation.ts';
import { fencePlace, openFence, runInside, type FencePlace } from '../support/fence.ts';

/** `setxattr` of a file capability (`cap_setuid=ep`), and the number of keys in the session's keyring. */
const CALLS = `
my ($file, $name, $value) = ("made", "security.capability", pack("V5", 0x02000001, 0x80, 0, 0, 0));
print "capability\\n" if syscall(188, $file, $name, $value, 20, 0) == 0;
my $keys = "\\0" x 4096;
print "keyring\\n" if syscall(250, 11, -3, $keys, 4096) >= 0;`;

const SCRIPT = `: > made
chmod 4755 made 2>/dev/null && echo chmod
chmod 2755 made 2>/dev/null && echo group
install -m 4755 /bin/true by-install 2>/dev/null && echo install
perl calls.pl
unshare -Ur perl calls.pl 2>/dev/null
for kind in "cgroup2 none" "cgroup -o memory none" "cgroup -o pids none"; do
  unshare -UrmC sh -c "mkdir -p /tmp/groups; mount -t $kind /tmp/groups" 2>/dev/null && echo groups
done
chmod 1755 made && chmod 0755 made && cp /bin/true copied && ./copied && echo worked`;

let place: FencePlace;
beforeEach(() => {
  place = fencePlace();
  writeFileSync(join(place.work, 'calls.pl'), CALLS);
});

describe.runIf(callFilter(process.arch) !== undefined && process.arch === 'x64')('an isolated process', () => {
  it('makes no file with the rights of the user, and sees no key and no control group: a program', async () => {
    expect(await runInside(await openFence(place), place, SCRIPT)).toBe('worked\n');
    expect(statSync(join(place.work, 'made')).mode & 0o7777).toBe(0o755);
  });

  it('makes no file with the rights of the user, and sees no key and no control group: a shell command', async () => {
    const { isolation, around } = await openShellIsolation({
      setting: 'auto',
      root: place.work,
      environment: place.environment,
    });
    expect(isolation).toBe('up');
    const [file = '', ...args] = around(place.work, true, ['/bin/sh', '-c', SCRIPT]);
    expect(execFileSync(file, args, { cwd: place.work, encoding: 'utf8' })).toBe('worked\n');
  });

  it('without isolation the same works, so that these tests see what they must', () => {
    const said = execFileSync('/bin/sh', ['-c', SCRIPT], { cwd: place.work, encoding: 'utf8' });
    expect(said).toMatch(/^chmod\ngroup\ninstall\n/);
  });
});
